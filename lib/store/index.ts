// The public interface of the store: what survives a restart of the manager.
export { type ActorCrash, readActorCrashes, recordActorCrash } from './actor-crashes.js'
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
} from './alert-files.js'
export { API_TOKEN_START, ApiTokens, type NewToken } from './api-tokens.js'
export { readAppointment, writeAppointment } from './appointment-file.js'
export { type AtomicWriteOptions, atomicWrite } from './atomic-write.js'
export {
  type BootstrapToken,
  checkBootstrapToken,
  makeBootstrapToken,
  spendBootstrapToken,
} from './bootstrap-tokens.js'
export { type CaptureFile, writeCapture } from './capture-files.js'
export { type Cookie, clearCookie, consumeCookie, cookieSetAt, hasCookie, listCookies, setCookie } from './cookies.js'
export { writeCrashFile } from './crash-files.js'
export { type FilterListName, readFilterList, readFilterTemplate, writeFilterList } from './filter-lists.js'
export { appendJobLog, readJobLog, readJobs, writeJobs } from './job-files.js'
export { type Journal, openJournal } from './journal.js'
export { abandoned, type Ended, type JournalEntry, type Unfinished } from './journal-entry.js'
export { notePoll, polledAt } from './polls.js'
export { readRoll, writeRoll } from './roll-file.js'
export { readRotation, type StoredRotation, writeRotation } from './rotation-file.js'
export { appendSettingChange, readSettingChanges } from './setting-changes.js'
export { readState, type StateFormat, type StateReading, writeState } from './state-file.js'
export { readWatchedVariables, writeWatchedVariables } from './watched-variables.js'
export { makeDirectory, prepareWorkingDirectory } from './working-directory.js'
