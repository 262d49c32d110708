// The face of the room: the backups of a cluster in one place.
export { Catalogue, type CatalogueReading } from './catalogue.js'
export { backupFolder, storedName } from './names.js'
export { parseRecord, renderRecord } from './record.js'
