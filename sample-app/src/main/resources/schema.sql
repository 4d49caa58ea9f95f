create sequence if not exists user_id;

create table if not exists users (
  user_id bigint primary key,
  user_name varchar not null,
  session_id varchar not null,
  points int not null
);

create table if not exists payment (
  payment_id uuid primary key,
  user_name varchar not null,
  amount int not null
);

-- For the page: the instances that run on this database, and what each of them did and when.
create table if not exists instance (
  url varchar primary key,
  instance_id varchar not null,
  started timestamp(9) not null default localtimestamp
);
-- The file may be older.
alter table instance add column if not exists killable boolean default false not null;
alter table instance add column if not exists store varchar default '' not null;

create table if not exists execution (
  user_name varchar not null,
  request int not null,
  instance varchar not null,
  started timestamp(9) with time zone not null,
  ended timestamp(9) with time zone
);
-- The file may be older.
alter table execution alter column if exists server rename to instance;
create index if not exists execution_of on execution (user_name);
