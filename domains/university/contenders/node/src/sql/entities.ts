/** What there is in the store, and which fields of the schema lead from one to another. */

/** How rows of a level find those of the next: `local` of theirs equals `foreign` of the others. */
export interface Edge {
  readonly to: EntityName;
  readonly local: string;
  readonly foreign: string;
  /** A table between: its column `foreign` leads back, this one leads on. */
  readonly link?: { readonly table: string; readonly onward: string };
}

export interface Entity {
  readonly from: string;
  readonly columns: Readonly<Record<string, string>>;
  /** The types its rows can have, with what tells them apart. */
  readonly types: Readonly<Record<string, string>>;
  readonly edges: Readonly<Record<string, readonly Edge[]>>;
}

export type EntityName =
  | "university"
  | "department"
  | "researchGroup"
  | "faculty"
  | "professor"
  | "lecturer"
  | "graduateStudent"
  | "undergraduateStudent"
  | "graduateCourse"
  | "undergraduateCourse"
  | "publication";

/** The type conditions under which a selection on a type may be written. */
export const CONDITIONS: Readonly<Record<string, readonly string[]>> = {
  Professor: ["Professor", "Faculty", "Author"],
  Lecturer: ["Lecturer", "Faculty", "Author"],
  GraduateStudent: ["GraduateStudent", "Author"],
};

/** The field that is no list of rows but what can be said of them together. */
export const AGGREGATE = "graduateStudentConnection";

const one = (to: EntityName, column: string): Edge[] => [{ to, local: column, foreign: "t.nr" }];
const many = (to: EntityName, column: string): Edge[] => [{ to, local: "nr", foreign: column }];
const through = (to: EntityName, table: string, back: string, onward: string): Edge[] => [
  { to, local: "nr", foreign: `link.${back}`, link: { table, onward: `link.${onward}` } },
];

const table = (...names: string[]): Record<string, string> => Object.fromEntries(names.map((name) => [name, `t.${name}`]));
const contact = ["nr", "telephone", "emailaddress"];
const member = table(...contact, "undergraduatedegreefrom", "masterdegreefrom", "doctoraldegreefrom", "worksfor");
const researcher = { ...member, professortype: "p.professortype", researchinterest: "p.researchinterest", headof: "p.headof" };

const teaching = {
  undergraduateDegreeFrom: one("university", "undergraduatedegreefrom"),
  masterDegreeFrom: one("university", "masterdegreefrom"),
  doctoralDegreeFrom: one("university", "doctoraldegreefrom"),
  worksFor: one("department", "worksfor"),
  teacherOfGraduateCourses: many("graduateCourse", "t.teacher"),
  teacherOfUndergraduateCourses: many("undergraduateCourse", "t.teacher"),
  publications: many("publication", "t.mainauthor"),
};
const advising = {
  supervisedUndergraduateStudents: many("undergraduateStudent", "t.advisor"),
  supervisedGraduateStudents: many("graduateStudent", "t.advisor"),
};

export const ENTITIES: Readonly<Record<EntityName, Entity>> = {
  university: {
    from: "university t",
    columns: table("nr"),
    types: { University: "true" },
    edges: {
      undergraduateDegreeObtainedByFaculty: many("faculty", "t.undergraduatedegreefrom"),
      mastergraduateDegreeObtainers: many("faculty", "t.masterdegreefrom"),
      doctoralDegreeObtainers: many("faculty", "t.doctoraldegreefrom"),
      undergraduateDegreeObtainedBystudent: many("graduateStudent", "t.undergraduatedegreefrom"),
      departments: many("department", "t.suborganizationof"),
      [AGGREGATE]: many("graduateStudent", "t.undergraduatedegreefrom"),
    },
  },
  department: {
    from: "department t",
    columns: table("nr", "suborganizationof"),
    types: { Department: "true" },
    edges: {
      subOrganizationOf: one("university", "suborganizationof"),
      head: many("professor", "p.headof"),
      researchGroups: many("researchGroup", "t.suborganizationof"),
      faculties: many("faculty", "t.worksfor"),
      professors: many("professor", "t.worksfor"),
      lecturers: many("lecturer", "t.worksfor"),
      graduateStudents: many("graduateStudent", "t.memberof"),
      undergraduateStudents: many("undergraduateStudent", "t.memberof"),
    },
  },
  researchGroup: {
    from: "researchgroup t",
    columns: table("nr", "suborganizationof"),
    types: { ResearchGroup: "true" },
    edges: { subOrganizationOf: one("department", "suborganizationof") },
  },
  faculty: {
    from: "faculty t LEFT JOIN professor p ON p.nr = t.nr",
    columns: researcher,
    types: { Professor: "professortype IS NOT NULL", Lecturer: "professortype IS NULL" },
    edges: { ...teaching, ...advising },
  },
  professor: {
    from: "faculty t JOIN professor p ON p.nr = t.nr",
    columns: researcher,
    types: { Professor: "true" },
    edges: { ...teaching, ...advising },
  },
  lecturer: {
    from: "faculty t JOIN lecturer p ON p.nr = t.nr",
    columns: member,
    types: { Lecturer: "true" },
    edges: teaching,
  },
  graduateStudent: {
    from: "graduatestudent t",
    columns: table(...contact, "age", "undergraduatedegreefrom", "advisor", "memberof"),
    types: { GraduateStudent: "true" },
    edges: {
      memberOf: one("department", "memberof"),
      undergraduateDegreeFrom: one("university", "undergraduatedegreefrom"),
      advisor: one("professor", "advisor"),
      takeGraduateCourses: through("graduateCourse", "graduatestudenttakecourse", "graduatestudentid", "graduatecourseid"),
      assistCourses: many("undergraduateCourse", "t.teachingassistant"),
    },
  },
  undergraduateStudent: {
    from: "undergraduatestudent t",
    columns: table(...contact, "age", "advisor", "memberof"),
    types: { UndergraduateStudent: "true" },
    edges: {
      memberOf: one("department", "memberof"),
      advisor: one("professor", "advisor"),
      takeCourses: through("undergraduateCourse", "undergraduatestudenttakecourse", "undergraduatestudentid", "undergraduatecourseid"),
    },
  },
  graduateCourse: {
    from: "graduatecourse t",
    columns: table("nr", "teacher"),
    types: { GraduateCourse: "true" },
    edges: {
      teachedby: one("faculty", "teacher"),
      graduateStudents: through("graduateStudent", "graduatestudenttakecourse", "graduatecourseid", "graduatestudentid"),
    },
  },
  undergraduateCourse: {
    from: "undergraduatecourse t",
    columns: table("nr", "teacher", "teachingassistant"),
    types: { UndergraduateCourse: "true" },
    edges: {
      teachedby: one("faculty", "teacher"),
      undergraduateStudents: through("undergraduateStudent", "undergraduatestudenttakecourse", "undergraduatecourseid", "undergraduatestudentid"),
      teachingAssistants: one("graduateStudent", "teachingassistant"),
    },
  },
  publication: {
    from: "publication t",
    columns: table("nr", "title", "abstract", "mainauthor"),
    types: { Publication: "true" },
    edges: {
      authors: [
        ...one("faculty", "mainauthor"),
        ...through("graduateStudent", "coauthorofpublication", "publicationid", "graduatestudentid"),
      ],
    },
  },
};
