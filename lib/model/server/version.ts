// Server software: flavour and version, compared by number.
export type Flavour = 'mariadb' | 'mysql' | 'percona'

export interface Version {
  readonly major: number
  readonly minor: number
  readonly patch: number
}

/** Negative, zero or positive as `left` is older than, equal to or newer than `right`. */
export const compareVersions = (left: Version, right: Version): number =>
  left.major - right.major || left.minor - right.minor || left.patch - right.patch

/** `10.11.19-MariaDB-0+deb12u1-log` → { 10, 11, 19 }; unreadable text gives 0.0.0. */
export function parseVersion(text: string): Version {
  const [, major = '0', minor = '0', patch = '0'] = /(\d+)\.(\d+)(?:\.(\d+))?/.exec(text) ?? []
  return { major: Number(major), minor: Number(minor), patch: Number(patch) }
}

/** From `@@version` and `@@version_comment`. */
export function parseFlavour(version: string, comment: string): Flavour {
  if (/mariadb/i.test(`${version} ${comment}`)) return 'mariadb'
  return /percona/i.test(comment) ? 'percona' : 'mysql'
}
