// The one place that puts a name into a statement's text. Values never are: they are passed separately and the connection quotes them.

/** A name between backticks, whatever it contains; a name cannot contain NUL. */
export function quoteIdentifier(name: string): string {
  if (name === '' || name.includes('\0')) throw new RangeError('a name must not be empty and must not contain NUL')
  return `\`${name.replaceAll('`', '``')}\``
}
