package io.github.lockstarter.compatibility.jpa;

import io.github.lockstarter.annotation.ExclusiveRequest;

class OrderArchiveImpl implements OrderArchive {

	@Override
	public void archive(String id) {
	}

	@Override
	@ExclusiveRequest(name = "restore", key = "#id")
	public void restore(String id) {
	}

}
