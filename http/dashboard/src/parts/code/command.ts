// A request as people repeat it: as a command of the client, as curl. The token stands in a variable, never in the text.

export interface Request {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly body?: unknown
}

/** For a POSIX shell. */
export function renderCurl({ method, path, body }: Request, origin: string): string {
  const parts = ['curl', ...(method === 'GET' ? [] : ['-X', method]), '-H', '"Authorization: Bearer $MANAGER_TOKEN"']
  if (body !== undefined) parts.push('-H', quote('Content-Type: application/json'), '-d', quote(JSON.stringify(body)))
  return [...parts, quote(`${origin}${path}`)].join(' ')
}

/** `manager-cli api`, which logs in itself. */
export function renderCommand({ method, path, body }: Request): string {
  const parts = ['manager-cli', 'api', ...(method === 'GET' ? [] : ['--method', method]), '--url', quote(path)]
  if (body !== undefined) parts.push('--body', quote(JSON.stringify(body)))
  return parts.join(' ')
}

const quote = (text: string): string => (/^[\w./:=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)
