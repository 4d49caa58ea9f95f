CREATE TABLE IF NOT EXISTS locks (
  lock_key VARCHAR(255) NOT NULL PRIMARY KEY,
  owner VARCHAR(255) NOT NULL,
  token BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  waiting VARCHAR(36)
);

CREATE TABLE IF NOT EXISTS locks_results (
  lock_key VARCHAR(255) NOT NULL,
  name VARCHAR(255) NOT NULL,
  lock_name VARCHAR(255) NOT NULL,
  token BIGINT NOT NULL,
  stored_at BIGINT NOT NULL,
  kept_until BIGINT NOT NULL,
  content BYTEA NOT NULL,
  PRIMARY KEY (lock_key, name),
  UNIQUE (kept_until, lock_key, name)
);
