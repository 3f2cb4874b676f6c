// Made by tools/page_types.py from the operations of a station and the records of the package: do not edit.
// Places are in metres, angles in radians, times of a station in seconds since 1970; bytes travel as base64.

// What proves who calls; keep it secret.
export interface AccessToken {
  token: string;
}

// Let somebody use the station, with a first password that has to be changed when they log in.
export interface AddPerson {
  name: string;
  password: string;
  team?: string | null;
  role?: "commander" | "observer" | "super-user" | "team-head";
}

// Make a team, under a name that no team has or had.
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
  code_seed: number;
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

// Change one's own password; all other tokens that one has are revoked.
export interface ChangePassword {
  password: string;
  new_password: string;
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

// The operation was carried out.
export type Done = Record<string, never>;

// Ask what happened after entry `after` of the log: all that concerns one's own team, or nobody's.
export interface Events {
  after?: number;
  limit?: number;
  wait?: number;
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

// Ask in which layers one's team measured something.
export type ListLayers = Record<string, never>;

// Ask who may use the station: everybody for a super-user, else who is of one's own team or is offered to it.
export type ListPeople = Record<string, never>;

// Keep a user out until unlocked; all tokens of the user are revoked.
export interface LockPerson {
  name: string;
}

// Trade a name and a password for a token, which is good for `life` seconds.
export interface LogIn {
  name: string;
  password: string;
  new_password?: string | null;
  life?: number;
}

// Make the token that this call came with worthless.
export type LogOut = Record<string, never>;

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

// Ask for all that is known of a robot.
export interface MonitorRobot {
  robot: string;
}

// Move a user to another team: a super-user at once, with the role; team heads by the word of both.
export interface MovePerson {
  name: string;
  team: string;
}

// What a task printed after the letters that were read before; `last` is where to go on, `task` how far it has got.
export interface OutputSoFar {
  text: string;
  last: number;
  task: Task;
}

// One thing that a task wants to know.
export interface Parameter {
  name: string;
  kind: "number" | "spot" | "spots" | "text";
  about: string;
}

// Users, teams, and the number of valid tokens of each user.
export interface People {
  people: Person[];
  teams: string[];
  tokens: Record<string, number>;
}

// A user of the station; `team` is None for a super-user who belongs to none, `moves_to` where no move was offered.
export interface Person {
  name: string;
  team: string | null;
  role: "commander" | "observer" | "super-user" | "team-head";
  is_locked: boolean;
  has_first_password: boolean;
  moves_to: string | null;
}

// Whether somebody is in the other team now; else the head of that team was offered the move.
export interface PersonMoved {
  is_moved: boolean;
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

// A robot has arrived at the end of a piece of its way, or `at` a place on it, or, `is_cut`, goes no farther.
export interface Release {
  way: number;
  piece?: number;
  is_cut?: boolean;
  at?: PlaceRecord | null;
}

// Let somebody use the station no more; the tasks that they gave stay.
export interface RemovePerson {
  name: string;
}

// Remove a team that has no robots and nobody in it; a team head who is the last one in it is removed with it.
export interface RemoveTeam {
  team: string;
}

// Give a user who forgot the password a first password, which has to be changed; all tokens of the user are revoked.
export interface ResetPassword {
  name: string;
  password: string;
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
  role: "commander" | "observer" | "super-user" | "team-head";
}

// What everybody may know of a robot besides where it is.
export interface ShownRobot {
  tag: string;
  team: string;
  body: string;
  state: "away" | "connected" | "lost";
}

// Stop a robot at once; what it does and what waits for it ends, and it stands until it is given something new.
export interface Stop {
  robot: string;
}

// The robot was told to stop. `is_heard`: it has said that it heard it; `is_written`: the stop is on disk.
export interface StopAnswer {
  is_written: boolean;
  is_heard: boolean;
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

// A task that a robot can do.
export interface TaskOption {
  name: string;
  about: string;
  parameters: Parameter[];
}

// Ask what the code of a task printed, after the first `after` letters.
export interface TaskOutput {
  task: number;
  after?: number;
  wait?: number;
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

// Let a user who was locked log in again.
export interface UnlockPerson {
  name: string;
}

// What the page asks of a station, by name.
export interface Operations {
  log_in: { asks: LogIn; answers: AccessToken };
  log_out: { asks: LogOut; answers: Done };
  change_password: { asks: ChangePassword; answers: Done };
  add_team: { asks: AddTeam; answers: Done };
  remove_team: { asks: RemoveTeam; answers: Done };
  add_person: { asks: AddPerson; answers: Done };
  set_role: { asks: SetRole; answers: Done };
  reset_password: { asks: ResetPassword; answers: Done };
  lock_person: { asks: LockPerson; answers: Done };
  unlock_person: { asks: UnlockPerson; answers: Done };
  remove_person: { asks: RemovePerson; answers: Done };
  move_person: { asks: MovePerson; answers: PersonMoved };
  revoke_tokens: { asks: RevokeTokens; answers: Done };
  list_people: { asks: ListPeople; answers: People };
  monitor: { asks: MonitorRobot; answers: RobotStatus };
  give_task: { asks: GiveTask; answers: Given };
  send_code: { asks: SendCode; answers: Given };
  cancel_task: { asks: CancelTask; answers: Done };
  task_output: { asks: TaskOutput; answers: OutputSoFar };
  stop: { asks: Stop; answers: StopAnswer };
  release: { asks: Release; answers: Done };
  get_map: { asks: GetMap; answers: MapAnswer };
  set_map: { asks: SetMap; answers: MapVersion };
  get_medium: { asks: GetMedium; answers: MediumContent };
  get_layer: { asks: GetLayer; answers: MapLayer };
  list_layers: { asks: ListLayers; answers: LayerNames };
  events: { asks: Events; answers: Happenings };
  audit: { asks: Audit; answers: AuditAnswer };
  get_board: { asks: GetBoard; answers: KeptBoard };
  list_boards: { asks: ListBoards; answers: BoardNames };
}
