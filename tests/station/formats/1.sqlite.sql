CREATE TABLE audit (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    at FLOAT NOT NULL,
    who VARCHAR(80) NOT NULL,
    operation VARCHAR(64) NOT NULL,
    about VARCHAR(80) NOT NULL,
    outcome TEXT NOT NULL
);
CREATE TABLE contest_boards (
    contest VARCHAR(64) NOT NULL,
    board BLOB NOT NULL,
    kept_at FLOAT NOT NULL,
    PRIMARY KEY (contest)
);
CREATE TABLE facts (
    name VARCHAR(64) NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (name)
);
CREATE TABLE happenings (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    at FLOAT NOT NULL,
    kind VARCHAR(64) NOT NULL,
    team VARCHAR(64),
    robot VARCHAR(64),
    data TEXT NOT NULL
);
CREATE INDEX happenings_of_team ON happenings (team, id);
CREATE TABLE maps (
    version INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    map TEXT NOT NULL,
    made_at FLOAT NOT NULL
);
CREATE TABLE media (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    robot VARCHAR(64) NOT NULL,
    team VARCHAR(64) NOT NULL,
    name VARCHAR(64) NOT NULL,
    kind TEXT NOT NULL,
    content BLOB NOT NULL,
    stored_at FLOAT NOT NULL
);
CREATE INDEX media_of_robot ON media (robot, name);
CREATE TABLE processes (
    name VARCHAR(32) NOT NULL,
    role VARCHAR(16) NOT NULL,
    endpoint TEXT NOT NULL,
    load INTEGER NOT NULL,
    beat INTEGER NOT NULL,
    PRIMARY KEY (name)
);
CREATE TABLE samples (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    layer VARCHAR(64) NOT NULL,
    robot VARCHAR(64) NOT NULL,
    team VARCHAR(64) NOT NULL,
    x FLOAT NOT NULL,
    y FLOAT NOT NULL,
    value FLOAT NOT NULL,
    measured_at FLOAT NOT NULL
);
CREATE INDEX samples_of_layer ON samples (team, layer, id);
CREATE TABLE teams (
    name VARCHAR(64) NOT NULL,
    PRIMARY KEY (name)
);
CREATE TABLE contest_entries (
    contest VARCHAR(64) NOT NULL,
    team VARCHAR(64) NOT NULL,
    code BLOB NOT NULL,
    given_by VARCHAR(64) NOT NULL,
    given_at FLOAT NOT NULL,
    PRIMARY KEY (contest, team),
    FOREIGN KEY(team) REFERENCES teams (name)
);
CREATE TABLE objects (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    x FLOAT NOT NULL,
    y FLOAT NOT NULL,
    robot VARCHAR(64) NOT NULL,
    team VARCHAR(64) NOT NULL,
    medium INTEGER,
    found_at FLOAT NOT NULL,
    FOREIGN KEY(medium) REFERENCES media (id)
);
CREATE INDEX ix_objects_team ON objects (team);
CREATE TABLE people (
    name VARCHAR(64) NOT NULL,
    password TEXT NOT NULL,
    team VARCHAR(64),
    role VARCHAR(16) NOT NULL,
    PRIMARY KEY (name),
    FOREIGN KEY(team) REFERENCES teams (name)
);
CREATE TABLE robots (
    tag VARCHAR(64) NOT NULL,
    team VARCHAR(64) NOT NULL,
    "key" BLOB NOT NULL,
    kind TEXT NOT NULL,
    radius FLOAT NOT NULL,
    state VARCHAR(16) NOT NULL,
    x FLOAT,
    y FLOAT,
    heading FLOAT,
    seen_at FLOAT,
    controller VARCHAR(32) NOT NULL,
    options TEXT NOT NULL,
    facts TEXT NOT NULL,
    PRIMARY KEY (tag),
    FOREIGN KEY(team) REFERENCES teams (name)
);
CREATE TABLE stops (
    stop VARCHAR(32) NOT NULL,
    robot VARCHAR(64) NOT NULL,
    last_task INTEGER NOT NULL,
    told_in INTEGER NOT NULL,
    PRIMARY KEY (stop),
    FOREIGN KEY(robot) REFERENCES robots (tag) ON DELETE CASCADE
);
CREATE INDEX ix_stops_robot ON stops (robot);
CREATE INDEX stops_in_order ON stops (told_in);
CREATE TABLE tasks (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    robot VARCHAR(64) NOT NULL,
    name VARCHAR(64) NOT NULL,
    arguments TEXT NOT NULL,
    state VARCHAR(16) NOT NULL,
    place FLOAT NOT NULL,
    outcome TEXT NOT NULL,
    given_by VARCHAR(64) NOT NULL,
    given_at FLOAT NOT NULL,
    ended_at FLOAT,
    ended_in INTEGER,
    request VARCHAR(160),
    FOREIGN KEY(robot) REFERENCES robots (tag) ON DELETE CASCADE,
    UNIQUE (request)
);
CREATE INDEX ended_tasks ON tasks (given_by, ended_in);
CREATE INDEX open_tasks ON tasks (robot, state);
CREATE TABLE tokens (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    person VARCHAR(64) NOT NULL,
    made_at FLOAT NOT NULL,
    FOREIGN KEY(person) REFERENCES people (name) ON DELETE CASCADE
);
CREATE INDEX ix_tokens_person ON tokens (person);
INSERT INTO facts (name, value) VALUES ('format', '1');
INSERT INTO facts (name, value) VALUES ('secret', '_jtGyGAIiOLnSMkKX_UzymoHWrGyIxGM7tNEUBrbfIk');
INSERT INTO facts (name, value) VALUES ('positioning key', 'bbd0399884beb84acac5c87a4eab7053e570606c4eb0c98b5f0e0c5329a02aae');
INSERT INTO happenings (id, at, kind, team, robot, data) VALUES (1, 1795125758.9584258, 'robot_enrolled', NULL, 'red robot', '{"owner":"red"}');
INSERT INTO happenings (id, at, kind, team, robot, data) VALUES (2, 1795125758.967611, 'robot_entered', NULL, 'red robot', '{"body":"robot","controller":"72516a7ef2bb4a6c"}');
INSERT INTO happenings (id, at, kind, team, robot, data) VALUES (3, 1795125759.0208478, 'robot_enrolled', NULL, 'blue robot', '{"owner":"blue"}');
INSERT INTO happenings (id, at, kind, team, robot, data) VALUES (4, 1795125759.0241628, 'robot_entered', NULL, 'blue robot', '{"body":"robot","controller":"72516a7ef2bb4a6c"}');
INSERT INTO happenings (id, at, kind, team, robot, data) VALUES (5, 1795125759.049475, 'rights_changed', '', NULL, '{"name":"the positioning system"}');
INSERT INTO happenings (id, at, kind, team, robot, data) VALUES (6, 1795125759.0633922, 'task_given', 'red', 'red robot', '{"task":1,"name":"goTo","now":false}');
INSERT INTO happenings (id, at, kind, team, robot, data) VALUES (7, 1795125759.0740554, 'file_stored', 'red', 'red robot', '{"medium":1,"name":"film"}');
INSERT INTO happenings (id, at, kind, team, robot, data) VALUES (8, 1795125759.079938, 'measured', 'red', 'red robot', '{"layer":"heat","count":1}');
INSERT INTO media (id, robot, team, name, kind, content, stored_at) VALUES (1, 'red robot', 'red', 'film', 'application/octet-stream', X'66006c6d', 1795125759.0740554);
INSERT INTO samples (id, layer, robot, team, x, y, value, measured_at) VALUES (1, 'heat', 'red robot', 'red', 1.0, 2.0, 3.0, 1795125759.079938);
INSERT INTO teams (name) VALUES ('red');
INSERT INTO teams (name) VALUES ('blue');
INSERT INTO people (name, password, team, role) VALUES ('red observer', '$argon2id$v=19$m=8,t=1,p=1$dgOqKl22ZyIqGy4WNPDymQ$FromAha/N6cH0w/QWOa6Beg3nJVgfOo7cPr/J1Ku6nE', 'red', 'observer');
INSERT INTO people (name, password, team, role) VALUES ('red commander', '$argon2id$v=19$m=8,t=1,p=1$U+ffmeO2BDUVFjTXlSpqLg$Tm6YUMHbvWKFMzOXXjrNQASdj9XKmoC2KsYDEZgAvW0', 'red', 'commander');
INSERT INTO people (name, password, team, role) VALUES ('blue observer', '$argon2id$v=19$m=8,t=1,p=1$EOrJgHQqHV0dWG8tOMffFg$/sFhnSNrFnxM648pRE7gQ/bQ30vcZMzXvlquGquKGL8', 'blue', 'observer');
INSERT INTO people (name, password, team, role) VALUES ('blue commander', '$argon2id$v=19$m=8,t=1,p=1$Nn1uY5+JXGsufQynU5RN+w$bRiyDoFY50zpq1GRRoEKby9qDLFthwwBfgMqxbzOJq0', 'blue', 'commander');
INSERT INTO people (name, password, team, role) VALUES ('chief', '$argon2id$v=19$m=8,t=1,p=1$saA/JWHATf0BXb8f0UAKoQ$PPnlhE9tp7ruxN2/nmu88Wp6zscbS6x0Oisg9bX1HxU', NULL, 'super-user');
INSERT INTO robots (tag, team, key, kind, radius, state, x, y, heading, seen_at, controller, options, facts) VALUES ('red robot', 'red', X'b91e959f1abeb60e6d932ff89d26a2ef881d9b5a06c13b0c96d358eeecad35c0', 'robot', 0.15, 'connected', NULL, NULL, NULL, 1795125758.967611, '72516a7ef2bb4a6c', '[{"name":"goTo","about":"","parameters":[{"name":"at","kind":"spot","about":""}]}]', '{}');
INSERT INTO robots (tag, team, key, kind, radius, state, x, y, heading, seen_at, controller, options, facts) VALUES ('blue robot', 'blue', X'55055591e9e0039bf8658a8e5705463025e4bb7bd0b311bfd2db6e50838ae288', 'robot', 0.15, 'connected', NULL, NULL, NULL, 1795125759.0241628, '72516a7ef2bb4a6c', '[{"name":"goTo","about":"","parameters":[{"name":"at","kind":"spot","about":""}]}]', '{}');
INSERT INTO tasks (id, robot, name, arguments, state, place, outcome, given_by, given_at, ended_at, ended_in, request) VALUES (1, 'red robot', 'goTo', '{"at":{"x":1,"y":2}}', 'waiting', 1.0, '', 'chief', 1795125759.0633922, NULL, NULL, NULL);
INSERT INTO tokens (id, person, made_at) VALUES (1, 'red observer', 1795125758.93141);
INSERT INTO tokens (id, person, made_at) VALUES (2, 'red commander', 1795125758.9435163);
INSERT INTO tokens (id, person, made_at) VALUES (3, 'blue observer', 1795125758.9997911);
INSERT INTO tokens (id, person, made_at) VALUES (4, 'blue commander', 1795125759.0138407);
INSERT INTO tokens (id, person, made_at) VALUES (5, 'chief', 1795125759.035851);
