create table if not exists payment (
  id uuid primary key,
  account varchar(50) not null,
  amount decimal(12, 2) not null
);
