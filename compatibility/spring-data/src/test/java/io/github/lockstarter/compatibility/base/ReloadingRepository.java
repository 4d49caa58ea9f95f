package io.github.lockstarter.compatibility.base;

import org.springframework.data.jpa.repository.JpaRepository;

import io.github.lockstarter.compatibility.jpa.Order;

interface ReloadingRepository extends JpaRepository<Order, String>, Reloading {

}
