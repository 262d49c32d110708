// The one place that puts a name into a statement's text. Values never are: they go beside it and the wire quotes them.

/** A name between backticks, whatever it holds; NUL cannot stand in a name. */
export function quoteIdentifier(name: string): string {
  if (name === '' || name.includes('\0')) throw new RangeError('a name must not be empty and must not hold NUL')
  return `\`${name.replaceAll('`', '``')}\``
}
