// Backups as a table: what was copied from where, how large it is, and whether it was proven.
import { now } from '../../../lib/base/time.js'
import { renderDuration, renderSize } from '../../../lib/model/operation/job-progress.js'
import { type Column, renderTable } from '../output/table.js'

/** A backup as the API lists it: of its record what people are shown. */
export interface ListedBackup {
  readonly id: string
  readonly time: string
  readonly backup: {
    readonly backupMethod: number
    readonly backupTool: string
    readonly backupStrategy: number
    readonly source: string
    readonly size: number
    readonly place: string
    readonly places?: readonly string[]
    readonly binLogUuid: string
    readonly encrypted: boolean
    readonly completed: boolean
    readonly proof?: { readonly at: string; readonly result: string; readonly restoreSeconds: number }
  }
}

const columns: readonly Column<ListedBackup>[] = [
  { title: 'backup', align: 'right', isKey: true, text: ({ id }) => id },
  { title: 'time', isKey: true, text: ({ time }) => time.replace(/\.\d+Z$/, 'Z') },
  { title: 'kind', text: ({ backup }) => (backup.backupMethod === 1 ? 'logical' : 'physical') },
  { title: 'by', text: ({ backup }) => `${backup.backupTool}${backup.backupStrategy === 1 ? '' : ' (incremental)'}` },
  { title: 'source', isKey: true, text: ({ backup }) => backup.source },
  { title: 'size', align: 'right', text: ({ backup }) => renderSize(backup.size) },
  {
    title: 'place',
    text: ({ backup }) => `${(backup.places ?? [backup.place]).join(', ')}${backup.encrypted ? ', encrypted' : ''}`,
  },
  { title: 'gtid', text: ({ backup }) => backup.binLogUuid },
  {
    title: 'proof',
    text: proofText,
    style: ({ backup: { proof } }) => (proof?.result === 'refuted' ? 'red' : 'green'),
  },
]

function proofText({ backup: { proof } }: ListedBackup): string {
  if (!proof) return '-'
  return proof.result === 'proven'
    ? `proven ${renderDuration(Math.max(0, now() - Date.parse(proof.at)))} ago, restores in ${renderDuration(proof.restoreSeconds * 1_000)}`
    : `refuted at ${proof.at.replace(/\.\d+Z$/, 'Z')}`
}

export const renderBackups = (backups: readonly ListedBackup[]): string =>
  backups.length === 0 ? 'No backups.' : renderTable(columns, backups)
