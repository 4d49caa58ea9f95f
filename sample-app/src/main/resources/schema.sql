create sequence if not exists user_id;

create table if not exists users (
  user_id bigint primary key,
  user_name varchar not null,
  session_id varchar not null,
  points int not null
);
