// The manager's key for statements: a file of its working directory, with the public half beside it to copy to agents.
import { createPrivateKey, type KeyObject } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { modeOf } from '../base/files/modes.js'
import { fail, ok, type Result } from '../base/result.js'
import { atomicCreate, atomicWrite } from '../store/kit/atomic-write.js'
import { makeKeys, publicKeyOf } from './statement.js'

/** Created at the first start. Failure: `file-unwritable`. */
export async function openStatementKey(workingDir: string): Promise<Result<KeyObject>> {
  const file = path.join(workingDir, 'statement.key')
  const created = await atomicCreate(file, makeKeys().privateKey)
  if (!created.ok) return created
  try {
    const text = await readFile(file, 'utf8')
    const published = await atomicWrite(path.join(workingDir, 'statement.pub'), publicKeyOf(text), {
      mode: modeOf('certificate'),
    })
    return published.ok ? ok(createPrivateKey(text)) : published
  } catch (error) {
    return fail('file-unwritable', `${file}: ${error instanceof Error ? error.message : String(error)}`)
  }
}
