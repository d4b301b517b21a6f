-- The fourteen tables of LinGBM. Beside the primary keys there is no index: see index.sql.

CREATE TABLE university (
  nr integer PRIMARY KEY,
  name varchar(25)
);

CREATE TABLE department (
  nr integer PRIMARY KEY,
  name varchar(25),
  subOrganizationOf integer REFERENCES university ON DELETE SET NULL
);

CREATE TABLE researchGroup (
  nr integer PRIMARY KEY,
  subOrganizationOf integer REFERENCES department ON DELETE SET NULL
);

CREATE TABLE faculty (
  nr integer PRIMARY KEY,
  name varchar(25),
  telephone varchar(100),
  emailAddress varchar(2000),
  undergraduateDegreeFrom integer REFERENCES university ON DELETE SET NULL,
  masterDegreeFrom integer REFERENCES university ON DELETE SET NULL,
  doctoralDegreeFrom integer REFERENCES university ON DELETE SET NULL,
  worksFor integer REFERENCES department ON DELETE SET NULL
);

CREATE TABLE professor (
  nr integer PRIMARY KEY REFERENCES faculty,
  professorType varchar(100),
  researchInterest varchar(100),
  headOf integer REFERENCES department ON DELETE SET NULL
);

CREATE TABLE lecturer (
  nr integer PRIMARY KEY REFERENCES faculty
);

CREATE TABLE graduateStudent (
  nr integer PRIMARY KEY,
  name varchar(25),
  telephone varchar(100),
  emailAddress varchar(2000),
  age integer,
  undergraduateDegreeFrom integer REFERENCES university ON DELETE SET NULL,
  advisor integer REFERENCES professor ON DELETE SET NULL,
  memberOf integer REFERENCES department ON DELETE SET NULL
);

CREATE TABLE undergraduateCourse (
  nr integer PRIMARY KEY,
  name varchar(25),
  teacher integer REFERENCES faculty ON DELETE SET NULL,
  teachingAssistant integer REFERENCES graduateStudent ON DELETE SET NULL
);

CREATE TABLE publication (
  nr integer PRIMARY KEY,
  name varchar(25),
  title varchar(100),
  abstract varchar(250),
  mainAuthor integer REFERENCES faculty ON DELETE SET NULL
);

CREATE TABLE graduateCourse (
  nr integer PRIMARY KEY,
  name varchar(25),
  teacher integer REFERENCES faculty ON DELETE SET NULL
);

CREATE TABLE coAuthorOfPublication (
  publicationID integer REFERENCES publication,
  graduateStudentID integer REFERENCES graduateStudent,
  PRIMARY KEY (publicationID, graduateStudentID)
);

CREATE TABLE undergraduateStudent (
  nr integer PRIMARY KEY,
  name varchar(25),
  telephone varchar(100),
  emailAddress varchar(2000),
  age integer,
  advisor integer REFERENCES professor ON DELETE SET NULL,
  memberOf integer REFERENCES department ON DELETE SET NULL
);

CREATE TABLE graduateStudentTakeCourse (
  graduateStudentID integer REFERENCES graduateStudent,
  graduateCourseID integer REFERENCES graduateCourse,
  PRIMARY KEY (graduateStudentID, graduateCourseID)
);

CREATE TABLE undergraduateStudentTakeCourse (
  undergraduateStudentID integer REFERENCES undergraduateStudent,
  undergraduateCourseID integer REFERENCES undergraduateCourse,
  PRIMARY KEY (undergraduateStudentID, undergraduateCourseID)
);

-- The generator's rows keep the foreign keys; checking each of them again takes most of the time
-- of a load. Whoever may turn the checks off for the session that loads does so.
DO $$
BEGIN
  SET session_replication_role = replica;
EXCEPTION WHEN insufficient_privilege THEN
  NULL;
END
$$;
