// The public interface of the store: what survives a restart of the manager.

export { readAppointment, writeAppointment } from './cluster/appointment-file.js'
export { type CaptureFile, writeCapture } from './cluster/capture-files.js'
export { readChecksums, writeChecksums } from './cluster/checksum-file.js'
export {
  type Cookie,
  clearCookie,
  consumeCookie,
  cookieSetAt,
  flagName,
  hasCookie,
  isFlagName,
  listCookies,
  readFlags,
  restoreFlags,
  setCookie,
} from './cluster/cookies.js'
export { writeCrashFile } from './cluster/crash-files.js'
export { type FilterListName, readFilterList, readFilterTemplate, writeFilterList } from './cluster/filter-lists.js'
export { readHostOrders, type StoredHostOrders, writeHostOrders } from './cluster/host-orders.js'
export {
  appendJobLog,
  isJobCopy,
  leaveJobLog,
  readJobCopies,
  readJobLog,
  readJobs,
  restoreJobs,
  writeJobs,
} from './cluster/job-files.js'
export { type Journal, type JournalCopy, openJournal } from './cluster/journal.js'
export { abandoned, type Ended, type JournalEntry, type Unfinished } from './cluster/journal-entry.js'
export { notePoll, polledAt } from './cluster/polls.js'
export { readRoll, writeRoll } from './cluster/roll-file.js'
export { readRotation, type StoredRotation, writeRotation } from './cluster/rotation-file.js'
export { readDefinitions, readSchemaReport, writeDefinitions, writeSchemaReport } from './cluster/schema-file.js'
export { removeOldSeries, SeriesFile } from './cluster/series-file.js'
export { readTrials, writeTrials } from './cluster/trial-file.js'
export { readWatchedVariables, writeWatchedVariables } from './cluster/watched-variables.js'
export { isOccupied, occupy, SOCKET } from './format/occupancy.js'
export {
  currentFormat,
  type DirectoryFormat,
  FORMAT_FILE,
  moveFormat,
  newerText,
  prepareFormat,
  RESTORING,
  readFormat,
} from './format/state-format.js'
export { type AtomicWriteOptions, atomicWrite } from './kit/atomic-write.js'
export { copyBelow, isCopied, type KeepCopy, keepCopies } from './kit/copies.js'
export { readState, renderState, type StateFormat, type StateReading, writeState } from './kit/state-file.js'
export { makeDirectory, prepareWorkingDirectory } from './kit/working-directory.js'
export { type ActorCrash, readActorCrashes, recordActorCrash } from './manager/actor-crashes.js'
export {
  type AlertMemory,
  dropQueuedAlert,
  type GatheredAlerts,
  readAlertMemory,
  readAlertQueue,
  readGatheredAlerts,
  readSilences,
  writeAlertMemory,
  writeGatheredAlerts,
  writeQueuedAlert,
  writeSilences,
} from './manager/alert-files.js'
export {
  API_TOKEN_START,
  ApiTokens,
  isStoredToken,
  type NewToken,
  type StoredToken,
  TOKEN_KEPT,
  type TokenPlace,
} from './manager/api-tokens.js'
export {
  isFinalMonth,
  listBillingMonths,
  readBillingMonth,
  type StoredMonth,
  setAsideBillingMonth,
  writeBillingMonth,
} from './manager/billing-files.js'
export {
  type BootstrapToken,
  checkBootstrapToken,
  makeBootstrapToken,
  spendBootstrapToken,
} from './manager/bootstrap-tokens.js'
export {
  BrowserSessions,
  isBrowserSession,
  type OpenedSession,
  type PlacedSession,
  type SessionPlace,
} from './manager/browser-sessions.js'
export { CODES_FOLDER, makeLoginCode, spendLoginCode } from './manager/login-codes.js'
export { readRegistration, writeRegistration } from './manager/registration-file.js'
export { appendSettingChange, readSettingChanges } from './manager/setting-changes.js'
export {
  type Following,
  type HeadLine,
  type MessageLine,
  parseRecordingLine,
  RECORDING_FORMAT,
  type RecordingLine,
  renderRecordingLine,
  streamOf,
} from './recording/line.js'
export {
  appendToPart,
  joinParts,
  listParts,
  makeFolder,
  type Part,
  packPart,
  partsWithin,
  type Range,
  sweepParts,
} from './recording/parts.js'
export { readRecording } from './recording/reading.js'
export { Timeline, type TimelineLimits } from './timeline/timeline.js'
