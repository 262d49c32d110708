// Whether an If-None-Match header names a version: then the client has it already.

/** `tag` with its quotes, `W/` or not; `*` names every version. */
export function namesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false
  const plain = (text: string) => text.trim().replace(/^W\//, '')
  return header.trim() === '*' || header.split(',').some((one) => plain(one) === plain(tag))
}
