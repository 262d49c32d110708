// What every page is given; pages import it from here, since the table of pages imports them.

export interface PageProps {
  /** What the address names: `/c/:cluster` gives `params.cluster`. */
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
}
