/** Every query the resolvers can delegate: one list of the subschema by one key. */

import { Delegate, type Node } from "./source.js";
import type { Fetch, Load, Strategy } from "./loading.js";
import type * as rows from "./rows.js";
import type { Ask } from "./subschema.js";

type Fetches = ReturnType<typeof fetches>;

/** The fetches as the resolvers call them: by one key at a time. */
export type Loads = {
  readonly [Name in keyof Fetches]: Fetches[Name] extends Fetch<infer Key, infer Value> ? Load<Key, Value> : never;
};

/** Makes the loads of one request. */
export function loadsOf(ask: Ask, strategy: Strategy): Loads {
  const made = Object.entries(fetches(ask)).map(([name, fetch]) => {
    return [name, strategy(fetch as Fetch<unknown, unknown>)];
  });
  return Object.fromEntries(made) as Loads;
}

const PERSON = "nr telephone emailaddress";
const FACULTY = `${PERSON} undergraduatedegreefrom masterdegreefrom doctoraldegreefrom worksfor
  professorByNr { professortype researchinterest headof } lecturerByNr { nr }`;
const GRADUATE = `${PERSON} age undergraduatedegreefrom advisor memberof`;
const UNDERGRADUATE = `${PERSON} age advisor memberof`;

function fetches(ask: Ask) {
  const list = <Row extends rows.Numbered>(name: string, selection: string) => new Delegate<Row>(ask, name, selection);
  const through = <Row extends rows.Numbered>(name: string, field: string, selection: string) =>
    new Delegate<Row>(ask, name, `${field} { ${selection} }`, (node) => (node[field] ?? undefined) as Row | undefined);
  const facultyWho = (is: (node: Node) => boolean) =>
    new Delegate<rows.Faculty>(ask, "allFaculties", FACULTY, (node) => (is(node) ? faculty(node) : undefined));

  const anybody = facultyWho(() => true);
  const professor = facultyWho((node) => node["professorByNr"] != null);
  const lecturer = facultyWho((node) => node["lecturerByNr"] != null);
  const heads = new Delegate<rows.Faculty>(ask, "allProfessors", `facultyByNr { ${FACULTY} }`, (node) => faculty(node["facultyByNr"] as Node));
  const department = list<rows.Department>("allDepartments", "nr suborganizationof");
  const researchGroup = list<rows.ResearchGroup>("allResearchgroups", "nr suborganizationof");
  const graduateStudent = list<rows.GraduateStudent>("allGraduatestudents", GRADUATE);
  const undergraduateStudent = list<rows.UndergraduateStudent>("allUndergraduatestudents", UNDERGRADUATE);
  const graduateCourse = list<rows.GraduateCourse>("allGraduatecourses", "nr teacher");
  const undergraduateCourse = list<rows.UndergraduateCourse>("allUndergraduatecourses", "nr teacher teachingassistant");
  const publication = list<rows.Publication>("allPublications", "nr title abstract mainauthor");
  const graduateTaking = "allGraduatestudenttakecourses";
  const undergraduateTaking = "allUndergraduatestudenttakecourses";

  return {
    university: list<rows.University>("allUniversities", "nr").one(),
    department: department.one(),
    departmentsOf: department.by("suborganizationof"),
    researchGroup: researchGroup.one(),
    researchGroupsOf: researchGroup.by("suborganizationof"),

    faculty: anybody.one(),
    facultyOf: anybody.by("worksfor"),
    bachelorsOf: anybody.by("undergraduatedegreefrom"),
    mastersOf: anybody.by("masterdegreefrom"),
    doctorsOf: anybody.by("doctoraldegreefrom"),
    doctorsWithin: anybody.byBoth("doctoraldegreefrom", "worksfor"),
    lecturer: lecturer.one(),
    lecturersOf: lecturer.by("worksfor"),
    professor: professor.one(),
    professorsOf: professor.by("worksfor"),
    headsOf: heads.by("headof"),

    graduateStudent: graduateStudent.one(),
    graduateStudentsOf: graduateStudent.by("memberof"),
    graduateStudentsAdvisedBy: graduateStudent.by("advisor"),
    graduatesOf: graduateStudent.by("undergraduatedegreefrom"),
    allGraduateStudents: graduateStudent.all(),
    /** Who advises the students that `graduatesOf` the same university gives. */
    advisorsOfGraduatesOf: through<rows.Advisor>("allGraduatestudents", "professorByAdvisor", "nr researchinterest").by("undergraduatedegreefrom"),
    allAdvisors: list<rows.Advisor>("allProfessors", "nr researchinterest").all(),
    undergraduateStudentsOf: undergraduateStudent.by("memberof"),
    undergraduateStudentsAdvisedBy: undergraduateStudent.by("advisor"),

    graduateCoursesTaughtBy: graduateCourse.by("teacher"),
    graduateCoursesTakenBy: through<rows.GraduateCourse>(graduateTaking, "graduatecourseByGraduatecourseid", "nr teacher").by("graduatestudentid"),
    graduateStudentsTaking: through<rows.GraduateStudent>(graduateTaking, "graduatestudentByGraduatestudentid", GRADUATE).by("graduatecourseid"),
    undergraduateCoursesTaughtBy: undergraduateCourse.by("teacher"),
    undergraduateCoursesAssistedBy: undergraduateCourse.by("teachingassistant"),
    undergraduateCoursesTakenBy: through<rows.UndergraduateCourse>(
      undergraduateTaking, "undergraduatecourseByUndergraduatecourseid", "nr teacher teachingassistant",
    ).by("undergraduatestudentid"),
    undergraduateStudentsTaking: through<rows.UndergraduateStudent>(
      undergraduateTaking, "undergraduatestudentByUndergraduatestudentid", UNDERGRADUATE,
    ).by("undergraduatecourseid"),

    publicationsBy: publication.by("mainauthor"),
    allPublications: publication.all(),
    coAuthorsOf: through<rows.GraduateStudent>("allCoauthorofpublications", "graduatestudentByGraduatestudentid", GRADUATE).by("publicationid"),
  };
}

/** Makes a row of the two tables that the subschema keeps apart. */
function faculty(node: Node): rows.Faculty {
  const { professorByNr, ...person } = node;
  const nobody = { professortype: null, researchinterest: null, headof: null };
  return { ...person, ...((professorByNr as Node | null) ?? nobody) } as unknown as rows.Faculty;
}
