// Made by tools/page_types.py from the operations of a station and the records of the package: do not edit.
// Places are in metres, angles in radians, times of a station in seconds since 1970; bytes travel as base64.

// What proves who calls; keep it secret.
export interface AccessToken {
  token: string;
}

// Let somebody use the station.
export interface AddPerson {
  name: string;
  password: string;
  team?: string | null;
  role?: "commander" | "observer" | "super-user";
}

// Make a team.
export interface AddTeam {
  team: string;
}

// Ask which operations were called after entry `after`, or for the newest before entry `before`, latest first.
export interface Audit {
  after?: number;
  limit?: number;
  newest?: boolean;
  before?: number | null;
  words?: string;
}

// Operations in the order in which they were answered, or the latest first; `last` is the last of these.
export interface AuditAnswer {
  entries: AuditEntry[];
  last: number;
}

// One operation that somebody asked for, with what came of it.
export interface AuditEntry {
  id: number;
  at: number;
  who: string;
  operation: string;
  about: string;
  outcome: string;
}

// What came of a contest so far.
export interface Board {
  contest: string;
  seed: number;
  teams: string[];
  planned: number;
  matches: MatchSheet[];
  standings: TeamStanding[];
}

// Points that a team got or lost: when, by which robot, why, and what about.
export interface BoardEntry {
  time: number;
  team: string;
  robot: string;
  reason: "contact" | "failed" | "found" | "haste" | "picture" | "reported" | "wrong";
  points: number;
  about: string;
}

// The contests that have a board.
export interface BoardNames {
  names: string[];
}

// Take a task back that has not ended.
export interface CancelTask {
  task: number;
}

// The code of the teams that entered a contest.
export interface ContestEntries {
  entries: ContestEntry[];
}

// The code with which a team enters a contest.
export interface ContestEntry {
  team: string;
  code: string;
  given_by: string;
  given_at: number;
}

// Where the station believes the robot to be.
export interface Corrected {
  pose: PoseRecord;
}

// How a run was set up, for the page. `id` is new for each run shown, `reach` that of the radios in metres.
export interface Description {
  title: string;
  isLive: boolean;
  end: number;
  isWhole: boolean;
  seed: number;
  version: string;
  map: Record<string, unknown>;
  robots: Record<string, string>;
  start: number;
  reach: number | null;
  groups: RobotGroup[];
  chunks: ([number, number, number])[];
  actions: string[];
  logIn: boolean;
  calibrations: Record<string, Record<string, unknown>>;
  isStation: boolean;
  format: number;
  id: string;
}

// A robot leaves.
export type Disconnect = Record<string, never>;

// The operation was carried out.
export type Done = Record<string, never>;

// Ask which of the tasks one gave have ended since entry `after` of the log.
export interface DoneNotices {
  after?: number;
  limit?: number;
  wait?: number;
}

// Let a robot enter from now on, under a name that becomes its tag.
export interface EnrolRobot {
  team: string;
  robot: string;
}

// Enter a team in a contest with its code, in place of code that it sent before.
export interface EnterContest {
  team: string;
  name: string;
  code: string;
}

// Ask what happened after entry `after` of the log: all that concerns one's own team, or nobody's.
export interface Events {
  after?: number;
  limit?: number;
  wait?: number;
}

// What a positioning system proves itself with; told once.
export interface FeedKey {
  key: string;
}

// Something that a robot discovered, with what it filmed of it.
export interface FoundObject {
  id: number;
  name: string;
  at: PlaceRecord;
  robot: string;
  team: string;
  media: number | null;
  found_at: number;
}

// What was discovered.
export interface FoundObjects {
  objects: FoundObject[];
}

// Ask for the board of a contest.
export interface GetBoard {
  name: string;
}

// Ask for what one's team measured.
export interface GetLayer {
  layer: string;
  limit?: number;
}

// Ask for the map, if it is newer than `since`; `around` and `reach` ask for the piece there.
export interface GetMap {
  since?: number;
  around?: PlaceRecord | null;
  reach?: number;
  changes?: boolean;
}

// Ask for a stored file.
export interface GetMedium {
  medium: number;
}

// Give a robot a task: after those that wait, or now, which interrupts the present one.
export interface GiveTask {
  robot: string;
  task: string;
  arguments?: Record<string, unknown>;
  when?: "now" | "queue";
  request?: string;
}

// The number of a task that was given.
export interface Given {
  task: number;
}

// An entry of the station's ordered log; `id` rises by at least one with each.
export interface Happening {
  id: number;
  at: number;
  kind: string;
  team: string | null;
  robot: string | null;
  data: Record<string, unknown>;
}

// Entries of the log in order; `last` is where to go on.
export interface Happenings {
  happenings: Happening[];
  last: number;
  forgotten: number;
}

// A place that a robot holds, or as much of it as others leave.
export interface HeldPlace {
  x: number;
  y: number;
  radius: number;
}

// Ask which station this is.
export type Hello = Record<string, never>;

// Show everybody the board of a contest, in place of the one before; `content` is the board as JSON.
export interface KeepBoard {
  name: string;
  content: string;
}

// The board of a contest, as `kumi contest` writes it.
export interface KeptBoard {
  content: string;
}

// The layers in which something was measured.
export interface LayerNames {
  names: string[];
}

// Ask which contests have a board.
export type ListBoards = Record<string, never>;

// What changed in a list: the places of what is gone, in the old one, and what is new, with its place in the new one.
export interface ListChanges {
  removed: number[];
  added: ([number, Record<string, unknown>])[];
}

// Ask for the code of all teams that entered a contest.
export interface ListEntries {
  name: string;
}

// Ask in which layers one's team measured something.
export type ListLayers = Record<string, never>;

// A robot that was started anew asks for the modules that it had taken.
export type ListModules = Record<string, never>;

// Ask for what one's team discovered.
export type ListObjects = Record<string, never>;

// Ask who may use the station.
export type ListPeople = Record<string, never>;

// Ask for all robots.
export type ListRobots = Record<string, never>;

// A positioning system tells where it sees a robot; `error` is its standard deviation in metres.
export interface Locate {
  robot: string;
  at: PlaceRecord;
  heading?: number | null;
  error?: number;
}

// Trade a name and a password for a token.
export interface LogIn {
  name: string;
  password: string;
}

// Make the token that this call came with worthless.
export type LogOut = Record<string, never>;

// Make the key with which a positioning system tells where robots are; the one before is worthless then.
export type MakeFeedKey = Record<string, never>;

// The map as a table like that of a scenario file, or what changed in it; neither when it is not newer.
export interface MapAnswer {
  version: number;
  map: Record<string, unknown> | null;
  objects: FoundObject[];
  robots: RobotRecord[];
  changes: MapChanges | null;
}

// What changed since a version of the map.
export interface MapChanges {
  since: number;
  values: Record<string, unknown>;
  lists: Record<string, ListChanges>;
}

// What was measured, the newest last.
export interface MapLayer {
  samples: SampleRecord[];
}

// The number of the map that is now in use.
export interface MapVersion {
  version: number;
}

// A robot marks something that it discovered.
export interface MarkObject {
  name: string;
  at: PlaceRecord;
  medium?: number | null;
}

// The number of the object on the map.
export interface Marked {
  object: number;
}

// What came of a match.
export interface MatchSheet {
  match: number;
  game: number;
  seconds: number;
  run_file: string;
  trace_hash: string;
  hidden: Record<string, [number, number]>;
  robots: Played[];
  entries: BoardEntry[];
}

// A robot adds what it measured to a named layer of the map.
export interface Measure {
  layer: string;
  samples: SampleRecord[];
}

// A file that a robot stored: a picture, a film, a log.
export interface Medium {
  id: number;
  name: string;
  kind: string;
  size: number;
  robot: string;
  team: string;
  stored_at: number;
}

// A stored file.
export interface MediumContent {
  about: Medium;
  content: string;
}

// Code of a team that adds tasks to a robot.
export interface Module {
  name: string;
  code: string;
}

// The modules that a robot has taken, in the order in which it did.
export interface Modules {
  modules: Module[];
}

// Ask for all that is known of a robot.
export interface MonitorRobot {
  robot: string;
}

// The task to do now, or None.
export interface NextTask {
  task: Task | null;
}

// Ended tasks in the order in which they ended.
export interface Notices {
  tasks: Task[];
  last: number;
}

// One thing that a task wants to know.
export interface Parameter {
  name: string;
  kind: "number" | "spot" | "spots" | "text";
  about: string;
}

// Who may use the station, which teams there are, and how many tokens of each user are worth something.
export interface People {
  people: Person[];
  teams: string[];
  tokens: Record<string, number>;
}

// A user of the station; `team` is None for a super-user who belongs to none.
export interface Person {
  name: string;
  team: string | null;
  role: "commander" | "observer" | "super-user";
}

// A place without a direction.
export interface PlaceRecord {
  x: number;
  y: number;
}

// How the code of one robot fared in a match.
export interface Played {
  team: string;
  robot: string;
  number: number;
  start: number;
  calls: number;
  outcome: string;
  has_failed: boolean;
}

// Where something is, and which way it looks.
export interface PoseRecord {
  x: number;
  y: number;
  heading: number;
}

// Ask what a robot can do.
export interface PossibleTasks {
  robot: string;
}

// A robot has arrived at the end of a piece of its way, or `at` a place on it, or, `is_cut`, goes no farther.
export interface Release {
  way: number;
  piece?: number;
  is_cut?: boolean;
  at?: PlaceRecord | null;
}

// Let a robot enter no more; its tasks that have not ended are cancelled.
export interface RemoveRobot {
  robot: string;
}

// A robot tells where it believes to be, and what else its team may know.
export interface ReportPosition {
  pose: PoseRecord;
  values?: Record<string, unknown>;
}

// A robot asks for its next task.
export type RequestTask = Record<string, never>;

// A robot asks for the floor of a piece of its way; with way 0 it only tells where it is.
export interface Reserve {
  way: number;
  piece?: number;
  at: PlaceRecord;
  radius: number;
  pieces?: PlaceRecord[][];
}

// Whether a robot may drive a piece of its way, and which places nearby others hold.
export interface ReservedFloor {
  state: "granted" | "refused" | "waiting";
  others: HeldPlace[];
}

// Revoke all tokens of a user.
export interface RevokeTokens {
  name: string;
}

// Robots that are alike, with numbers that follow each other; `team` is empty for those without a name.
export interface RobotGroup {
  first: number;
  count: number;
  team: string;
  sensors: SensorField[];
}

// What proves that a robot is the one it says; told once.
export interface RobotKey {
  robot: string;
  key: string;
}

// All robots that the station knows.
export interface RobotList {
  robots: RobotRecord[];
}

// What everybody may know of a robot.
export interface RobotRecord {
  tag: string;
  team: string;
  kind: string;
  radius: number;
  state: "away" | "connected" | "lost";
  pose: PoseRecord | null;
  seen_at: number | null;
}

// What its team knows of a robot.
export interface RobotStatus {
  robot: RobotRecord;
  task: Task | null;
  waiting: Task[];
  done: Task[];
  options: TaskOption[];
  values: Record<string, unknown>;
}

// What a robot measured at a place.
export interface SampleRecord {
  at: PlaceRecord;
  value: number;
}

// Give a robot code to run in its sandbox, or a module that adds tasks.
export interface SendCode {
  robot: string;
  name: string;
  code: string;
  purpose?: "module" | "run";
}

// Where a sensor looks: from `offset` metres before the middle of the robot up to a reach, in metres.
export interface SensorField {
  name: string;
  reach: number;
  view: number;
  bearing: number;
  offset: number;
  rays: number;
}

// Replace the map of the work space, by a table like that of a scenario file, or by the text of a map file.
export interface SetMap {
  map?: Record<string, unknown> | null;
  text?: string | null;
}

// Give a user another role; tokens stay valid, rights change at once.
export interface SetRole {
  name: string;
  role: "commander" | "observer" | "super-user";
}

// What everybody may know of a robot besides where it is.
export interface ShownRobot {
  tag: string;
  team: string;
  body: string;
  state: "away" | "connected" | "lost";
}

// Which station this is, and which interface it serves.
export interface Station {
  name: string;
  interface: number;
  version: string;
}

// Stop a robot at once; what it does and what waits for it ends.
export interface Stop {
  robot: string;
}

// A robot stores a file; `content` travels as base64 in JSON.
export interface StoreFile {
  name: string;
  kind?: string;
  content: string;
}

// The number of a file that is now kept.
export interface StoredFile {
  medium: number;
}

// A task that was given to a robot, and what became of it.
export interface Task {
  id: number;
  robot: string;
  name: string;
  arguments: Record<string, unknown>;
  state: "cancelled" | "done" | "failed" | "interrupted" | "sent" | "stopped" | "waiting";
  outcome: string;
  given_by: string;
  given_at: number;
  ended_at: number | null;
}

// A robot ended a task.
export interface TaskDone {
  task: number;
  succeeded?: boolean;
  outcome?: string;
}

// A task that a robot can do.
export interface TaskOption {
  name: string;
  about: string;
  parameters: Parameter[];
}

// What a robot can do.
export interface TaskOptions {
  options: TaskOption[];
}

// Where a team stands.
export interface TeamStanding {
  place: number;
  team: string;
  points: number;
  found: number;
  reported: number;
  pictures: number;
  wrong: number;
  contacts: number;
  failed: number;
}

// A robot announces the tasks it can do, in place of those announced before.
export interface TellTaskOptions {
  options: TaskOption[];
}

// A robot enters, or comes back; options that are not told stay as they were.
export interface Welcome {
  kind?: string;
  radius?: number;
  pose?: PoseRecord | null;
  options?: TaskOption[] | null;
}

// The robot is in: its tag, where it is, the map it needs, and the task that waits for it.
export interface Welcomed {
  tag: string;
  pose: PoseRecord | null;
  map_version: number;
  task: Task | null;
}

// What can be asked of a station, by name.
export interface Operations {
  hello: { asks: Hello; answers: Station };
  log_in: { asks: LogIn; answers: AccessToken };
  log_out: { asks: LogOut; answers: Done };
  add_team: { asks: AddTeam; answers: Done };
  add_person: { asks: AddPerson; answers: Done };
  set_role: { asks: SetRole; answers: Done };
  revoke_tokens: { asks: RevokeTokens; answers: Done };
  list_people: { asks: ListPeople; answers: People };
  enrol_robot: { asks: EnrolRobot; answers: RobotKey };
  remove_robot: { asks: RemoveRobot; answers: Done };
  welcome: { asks: Welcome; answers: Welcomed };
  task_options: { asks: TellTaskOptions; answers: Done };
  list_modules: { asks: ListModules; answers: Modules };
  report_position: { asks: ReportPosition; answers: Corrected };
  disconnect: { asks: Disconnect; answers: Done };
  list_robots: { asks: ListRobots; answers: RobotList };
  monitor: { asks: MonitorRobot; answers: RobotStatus };
  possible_tasks: { asks: PossibleTasks; answers: TaskOptions };
  give_task: { asks: GiveTask; answers: Given };
  send_code: { asks: SendCode; answers: Given };
  cancel_task: { asks: CancelTask; answers: Done };
  stop: { asks: Stop; answers: Done };
  request_task: { asks: RequestTask; answers: NextTask };
  task_done: { asks: TaskDone; answers: NextTask };
  reserve: { asks: Reserve; answers: ReservedFloor };
  release: { asks: Release; answers: Done };
  get_map: { asks: GetMap; answers: MapAnswer };
  set_map: { asks: SetMap; answers: MapVersion };
  locate: { asks: Locate; answers: Done };
  make_feed_key: { asks: MakeFeedKey; answers: FeedKey };
  store_file: { asks: StoreFile; answers: StoredFile };
  get_medium: { asks: GetMedium; answers: MediumContent };
  mark_object: { asks: MarkObject; answers: Marked };
  list_objects: { asks: ListObjects; answers: FoundObjects };
  measure: { asks: Measure; answers: Done };
  get_layer: { asks: GetLayer; answers: MapLayer };
  list_layers: { asks: ListLayers; answers: LayerNames };
  events: { asks: Events; answers: Happenings };
  done_notices: { asks: DoneNotices; answers: Notices };
  audit: { asks: Audit; answers: AuditAnswer };
  enter_contest: { asks: EnterContest; answers: Done };
  list_entries: { asks: ListEntries; answers: ContestEntries };
  keep_board: { asks: KeepBoard; answers: Done };
  get_board: { asks: GetBoard; answers: KeptBoard };
  list_boards: { asks: ListBoards; answers: BoardNames };
}
