// What fields of a request are called on the command line: messages of the manager name them as the API does. Pure.

/** By the name on the wire: `--to`, `<username>`. */
export type OwnNames = Readonly<Record<string, string>>

/**
 * `prefmaster: db9 is not a server; at: …` → `--to: db9 is not a server; --at: …`, and `force=true` → `--force`. Names that are
 * not listed stay.
 */
export function inOwnWords(message: string, names: OwnNames): string {
  const own = (field: string): string | undefined => (Object.hasOwn(names, field) ? names[field] : undefined)
  return message
    .replaceAll(/(^|; )([A-Za-z][\w-]*)(?=: )/g, (whole, start: string, field: string) =>
      own(field) === undefined ? whole : `${start}${own(field)}`,
    )
    .replaceAll(/\b([A-Za-z][\w-]*)=true\b/g, (whole, field: string) => own(field) ?? whole)
}
