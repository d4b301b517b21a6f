-- What the original does not have: an index for every way from a row to those that refer to it.

CREATE INDEX ON department (subOrganizationOf);
CREATE INDEX ON researchGroup (subOrganizationOf);
CREATE INDEX ON faculty (undergraduateDegreeFrom);
CREATE INDEX ON faculty (masterDegreeFrom);
CREATE INDEX ON faculty (doctoralDegreeFrom, worksFor);
CREATE INDEX ON faculty (worksFor);
CREATE INDEX ON professor (headOf);
CREATE INDEX ON graduateStudent (undergraduateDegreeFrom);
CREATE INDEX ON graduateStudent (advisor);
CREATE INDEX ON graduateStudent (memberOf);
CREATE INDEX ON undergraduateStudent (advisor);
CREATE INDEX ON undergraduateStudent (memberOf);
CREATE INDEX ON undergraduateCourse (teacher);
CREATE INDEX ON undergraduateCourse (teachingAssistant);
CREATE INDEX ON graduateCourse (teacher);
CREATE INDEX ON publication (mainAuthor);
CREATE INDEX ON coAuthorOfPublication (graduateStudentID);
CREATE INDEX ON graduateStudentTakeCourse (graduateCourseID);
CREATE INDEX ON undergraduateStudentTakeCourse (undergraduateCourseID);
