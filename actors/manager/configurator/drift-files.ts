// The files of custom.d beside a server's archive: read together, and written by decisions.
import path from 'node:path'
import { fail, ok, type Result } from '../../../lib/base/result.js'
import {
  type DriftRecord,
  editOverlay,
  type Found,
  parseOptions,
  renderAgreed,
  renderDelta,
} from '../../../lib/configure/index.js'
import type { DifferenceView, DriftRequest } from '../../protocol/manager/configurator.js'
import { readOverlay, readPreserved, writeOverlay, writePreserved } from './drift-store.js'

/** The preserved variables: of a server, and of the whole cluster. */
export interface PreservedTexts {
  readonly own: string
  readonly everywhere: string
}

export interface OverlayTexts {
  readonly everywhere: string
  readonly preserved: string
  readonly delta: string
  readonly agreed: string
}

/** `directory` is the server's; the cluster's is above it. */
export async function readOverlays(directory: string): Promise<Result<OverlayTexts>> {
  const preserved = await readOverlay(directory, '01_preserved')
  if (!preserved.ok) return preserved
  const delta = await readOverlay(directory, '02_delta')
  if (!delta.ok) return delta
  const agreed = await readOverlay(directory, '03_agreed')
  if (!agreed.ok) return agreed
  const everywhere = await readPreserved(path.dirname(directory))
  return everywhere.ok
    ? ok({ everywhere: everywhere.value, preserved: preserved.value, delta: delta.value, agreed: agreed.value })
    : everywhere
}

export interface KeptValues {
  readonly undecided: DriftRecord['undecided']
  /** Found and accepted values as the file has them, and as it should have them. */
  readonly before: Found
  readonly agreed: Found
}

/** Whether a file has changed. */
export async function writeKept(
  directory: string,
  { undecided, before, agreed }: KeptValues,
): Promise<Result<boolean>> {
  const delta = await writeOverlay(directory, '02_delta', renderDelta({ undecided }))
  if (!delta.ok) return delta
  const text = await readOverlay(directory, '03_agreed')
  if (!text.ok) return text
  const written = await writeOverlay(directory, '03_agreed', renderAgreed(text.value, before, agreed))
  return written.ok ? ok(delta.value || written.value) : written
}

export interface PreservedEdit {
  readonly texts: PreservedTexts
  readonly named: readonly Pick<DifferenceView, 'name' | 'running'>[]
  readonly decision: DriftRequest['decision']
  readonly everywhere: boolean
}

/** The texts after a decision, written; the same object when it changes none of them. */
export async function editPreserved(
  directory: string,
  { texts, named, decision, everywhere }: PreservedEdit,
): Promise<Result<PreservedTexts>> {
  if (decision === 'accept') return ok(texts)
  const edit = (text: string, { name, running }: Pick<DifferenceView, 'name' | 'running'>): string =>
    editOverlay(text, name, decision === 'preserve' ? running : undefined)
  const own = everywhere && decision === 'preserve' ? texts.own : named.reduce(edit, texts.own)
  const all = everywhere ? named.reduce(edit, texts.everywhere) : texts.everywhere
  const other = named.find(({ name }) => decision === 'clear' && parseOptions(all).has(name))
  if (other !== undefined)
    return fail('wrong-state', `${other.name} is preserved on every server: clear it with everywhere=true`)
  const written = await writeOverlay(directory, '01_preserved', own)
  if (!written.ok) return written
  const shared = await writePreserved(path.dirname(directory), all)
  if (!shared.ok) return shared
  return ok(own === texts.own && all === texts.everywhere ? texts : { own, everywhere: all })
}
