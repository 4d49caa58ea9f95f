CREATE TABLE IF NOT EXISTS locks (
  lock_key VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
  owner VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  token BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS locks_results (
  lock_key VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  name VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  lock_name VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  token BIGINT NOT NULL,
  stored_at BIGINT NOT NULL,
  kept_until BIGINT NOT NULL,
  content LONGBLOB NOT NULL,
  PRIMARY KEY (lock_key, name),
  UNIQUE (kept_until, lock_key, name)
) ENGINE = InnoDB;
