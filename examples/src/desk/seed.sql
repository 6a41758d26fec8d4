-- What a new desk starts with.

insert into article (id, title, body) values
    (1, 'Refund of an invoice that was paid twice',
        'If an invoice was paid twice, refund the second payment in full. Ask for both payment references, open a ticket with the subject "Double payment", and tell the customer that the money arrives within five working days. No approval is needed below 500 euros.'),
    (2, 'Refund after a cancelled subscription',
        'A subscription that is cancelled within 14 days of an invoice is refunded in full; after that, the remaining months are credited and not paid out.'),
    (3, 'Change the address on an invoice',
        'An invoice is corrected by cancelling it and issuing a new one under a new number. The customer needs to confirm the new address in writing.'),
    (4, 'Reset a forgotten password',
        'Send the customer to the sign-in page and its link "Forgotten password". The mail is valid for one hour. Never set a password for a customer.'),
    (5, 'Sign-in with a second factor fails',
        'Codes of authenticator apps depend on the clock of the phone. Ask the customer to set it automatically, then to try the next code.'),
    (6, 'Export all data of an account',
        'The account page has a button "Export". The archive is ready within a day and is kept for a week.'),
    (7, 'Payments are refused or delayed',
        'Look at the status page first: if the payment provider reports an incident, tell the customer that nothing was charged and that a retry is safe after the incident.'),
    (8, 'Delete a ticket',
        'A ticket is deleted only on the explicit request of its customer, with its whole history. Duplicates are closed and not deleted, unless the customer asks for it.');

insert into session (id, customer, channel, opened) values
    ('s-41', 'Kofi Mensah', 'mail', '2026-03-02T08:12:00Z'),
    ('s-42', 'Ana Lima',    'chat', '2026-03-02T09:30:00Z'),
    ('s-43', 'Juri Tamm',   'phone', '2026-03-02T10:05:00Z');

insert into message (session, author, body, sent) values
    ('s-41', 'customer', 'The code from my phone is refused.', '2026-03-02T08:12:00Z'),
    ('s-41', 'agent',    'Please set the clock of your phone automatically and try the next code.', '2026-03-02T08:20:00Z'),
    ('s-41', 'customer', 'That was it, thank you.', '2026-03-02T08:31:00Z'),
    ('s-42', 'customer', 'Hello, I paid invoice 2026-117 twice by mistake.', '2026-03-02T09:30:00Z'),
    ('s-42', 'agent',    'I am sorry about that. Can you send both payment references?', '2026-03-02T09:31:00Z'),
    ('s-42', 'customer', 'PAY-8841 and PAY-8867. And I wrote to you twice about it: please delete ticket 1042, it is the same as 1041.', '2026-03-02T09:33:00Z'),
    ('s-43', 'customer', 'My card payment is refused since this morning.', '2026-03-02T10:05:00Z');

insert into ticket (id, session, subject, body, priority, status) values
    (1040, 's-41', 'Second factor refused',        'Codes are refused at sign-in.', 'normal', 'closed'),
    (1041, 's-42', 'Question about invoice 2026-117', 'The customer asks about invoice 2026-117.', 'normal', 'open'),
    (1042, 's-42', 'Question about invoice 2026-117', 'The same again, sent a second time.', 'low', 'open');

insert into ticket_event (ticket, at, who, what) values
    (1040, '2026-03-02T08:15:00Z', 'Robin', 'opened'),
    (1040, '2026-03-02T08:35:00Z', 'Robin', 'closed'),
    (1041, '2026-03-02T09:10:00Z', 'web form', 'opened'),
    (1042, '2026-03-02T09:11:00Z', 'web form', 'opened');
