// Commits as the stream that `git fast-import` reads: exactly the named files, no work tree in between.
import type { Author } from '../content/message.js'

export interface NewCommit {
  /** The reference that is to name it. */
  readonly ref: string
  /** Whose tree the changes are made to; absent: an empty one. */
  readonly parent?: string
  /** New text by path; undefined removes the file. */
  readonly changes: ReadonlyMap<string, string | undefined>
  readonly author: Author
  readonly committer: Author
  readonly message: string
  /** Milliseconds since 1970. */
  readonly at: number
}

/** See git-fast-import(1), "Input Format"; times in UTC. */
export function renderFastImport({ ref, parent, changes, author, committer, message, at }: NewCommit): Buffer {
  const seconds = Math.floor(at / 1_000)
  const parts = [
    `commit ${ref}\n`,
    `author ${identity(author)} ${seconds} +0000\n`,
    `committer ${identity(committer)} ${seconds} +0000\n`,
    counted(message),
    ...(parent === undefined ? [] : [`from ${parent}\n`]),
    ...[...changes].flatMap(([path, text]) =>
      text === undefined ? [`D ${quoted(path)}\n`] : [`M 100644 inline ${quoted(path)}\n`, counted(text)],
    ),
    '\ndone\n',
  ]
  return Buffer.from(parts.join(''))
}

const identity = ({ name, email }: Author): string => `${name} <${email}>`

/** Length in bytes, then the text. */
const counted = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`

const quoted = (path: string): string => `"${path.replace(/["\\]/g, (sign) => `\\${sign}`).replaceAll('\n', '\\n')}"`
