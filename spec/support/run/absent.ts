// A group of tests that cannot run on this machine, so that the run shows it as skipped.

/** Stands for the group of this title; `reason` says what the machine does not have. */
export function absent(title: string, reason: string): void {
  describe(title, () => {
    it.skip(`cannot run here: ${reason}`, () => undefined)
  })
}
