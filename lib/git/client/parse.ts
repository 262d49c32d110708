// What git prints, read into values.

export interface TreeEntry {
  readonly path: string
  readonly blob: string
  /** Bytes. */
  readonly size: number
}

export interface Commit {
  readonly id: string
  readonly author: string
  readonly email: string
  /** Milliseconds since 1970. */
  readonly at: number
  readonly subject: string
  /** The rest of the message. */
  readonly body: string
}

const entry = /^(\d+) (\w+) ([0-9a-f]+) +(\d+|-)\t(.+)$/s
const FILE_MODES: ReadonlySet<string> = new Set(['100644', '100755'])

/** Of `ls-tree -r -z -l`: ordinary files, no links and no submodules. */
export function parseTree(text: string): readonly TreeEntry[] {
  return text.split('\0').flatMap((line) => {
    const [, mode = '', type, blob = '', size, path = ''] = entry.exec(line) ?? []
    return type === 'blob' && FILE_MODES.has(mode) ? [{ path, blob, size: Number(size) }] : []
  })
}

/** Of `cat-file --batch`: text by object, in one pass over the bytes. */
export function parseBatch(bytes: Buffer): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(0x0a, at)
    if (end < 0) break
    const [blob = '', type, size] = bytes.toString('latin1', at, end).split(' ')
    const length = type === 'blob' ? Number(size) : 0
    if (type === 'blob') texts.set(blob, bytes.toString('utf8', end + 1, end + 1 + length))
    at = end + 1 + (type === 'blob' ? length + 1 : 0)
  }
  return texts
}

/** The format of `git log` that `parseLog` reads. */
export const LOG_FORMAT = '%H%x1f%an%x1f%ae%x1f%ct%x1f%s%x1f%b%x1e'

export const parseLog = (text: string): readonly Commit[] =>
  text.split('\x1e').flatMap((record) => {
    const [id = '', author = '', email = '', seconds, subject = '', body = ''] = record.trimStart().split('\x1f')
    return /^[0-9a-f]{40,64}$/.test(id)
      ? [{ id, author, email, at: Number(seconds) * 1_000, subject, body: body.trim() }]
      : []
  })

/** The commit of a branch, of `ls-remote`. */
export const parseRemoteHead = (text: string, branch: string): string | undefined =>
  new RegExp(`^([0-9a-f]{40,64})\\trefs/heads/${branch}$`, 'm').exec(text)?.[1]

/** The lines of git and of the remote that say why, in one line; addresses keep no login. */
export function reasonOfGit(text: string): string {
  const lines = text.split(/\r?\n/).map((line) => line.trim())
  const telling = lines.filter((line) => /^(fatal|error|remote|!)/i.test(line))
  const chosen = (telling.length > 0 ? telling : lines.filter(Boolean)).slice(0, 3)
  return chosen
    .join('; ')
    .replace(/:\/\/[^/\s@]*@/g, '://')
    .slice(0, 500)
}

/** Whether the remote did not accept the login. */
export const isLoginRefused = (text: string): boolean =>
  /authentication failed|could not read (username|password)|error: (401|403)|403 forbidden|access denied/i.test(text)

/** Whether the branch has moved since it was read. */
export const isBehind = (text: string): boolean => /non-fast-forward|fetch first|stale info|\[rejected\]/i.test(text)
