// What is skipped for a good reason on every machine; another skip fails a run of continuous integration.

interface ExpectedSkip {
  /** Beginning of its full title. */
  readonly title: string
  /** What it needs and cannot have. */
  readonly why: string
}

export const expectedSkips: readonly ExpectedSkip[] = [
  {
    title: 'the lists of known options match mariadb-11.8',
    why: 'the list is of another patch release than the one that the archive holds now',
  },
  {
    title: 'dialectFor(mysql-8.0) switches semi-synchronous replication on and off',
    why: 'the only build of 8.0 that can be fetched has no plugins',
  },
  {
    title: 'the job script with busybox lets the server go before the programs of a task',
    why: 'busybox of some distributions has no nice',
  },
]

/** Titles of skips that nothing explains. */
export const unexpectedSkips = (titles: readonly string[]): readonly string[] =>
  titles.filter((title) => !expectedSkips.some((expected) => title.startsWith(expected.title)))
