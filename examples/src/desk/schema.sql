-- The desk's tables, made once in a new file.

create table article (
    id    integer primary key,
    title text not null,
    body  text not null
) strict;

-- Full text over the articles; the text itself stays in `article`.
create virtual table article_text using fts5 (
    title, body,
    content = 'article', content_rowid = 'id',
    tokenize = 'porter unicode61'
);

create trigger article_added after insert on article begin
    insert into article_text (rowid, title, body) values (new.id, new.title, new.body);
end;

create trigger article_removed after delete on article begin
    insert into article_text (article_text, rowid, title, body)
    values ('delete', old.id, old.title, old.body);
end;

create trigger article_changed after update on article begin
    insert into article_text (article_text, rowid, title, body)
    values ('delete', old.id, old.title, old.body);
    insert into article_text (rowid, title, body) values (new.id, new.title, new.body);
end;

create table session (
    id       text primary key,
    customer text not null,
    channel  text not null check (channel in ('chat', 'mail', 'phone')),
    opened   text not null
) strict;

create table message (
    id      integer primary key,
    session text not null references session (id) on delete cascade,
    author  text not null check (author in ('customer', 'agent')),
    body    text not null,
    sent    text not null
) strict;

create index message_of_session on message (session, id);

-- `autoincrement`: the number of a deleted ticket is never given to another.
create table ticket (
    id       integer primary key autoincrement,
    session  text references session (id) on delete set null,
    subject  text not null,
    body     text not null,
    priority text not null check (priority in ('low', 'normal', 'high')),
    status   text not null default 'open' check (status in ('open', 'closed'))
) strict;

create index ticket_of_session on ticket (session, id);

-- A ticket's history goes with its ticket.
create table ticket_event (
    id     integer primary key,
    ticket integer not null references ticket (id) on delete cascade,
    at     text not null,
    who    text not null,
    what   text not null
) strict;

create index event_of_ticket on ticket_event (ticket, id);

-- Who deleted what; stays when the ticket is gone.
create table deletion (
    ticket integer not null,
    at     text not null,
    who    text not null
) strict;
