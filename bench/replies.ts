// What the floor of the gateway answers: as many bytes as a role check, and the very view of 5 KB that the gateway sends.
export const roleText = 'yes'.padEnd(18, '.')

const server = (index: number) => ({
  id: `db${index}`,
  name: `db${index}`,
  host: `10.0.0.${index}`,
  port: '3306',
  state: index === 1 ? 'primary' : 'replica',
  version: '10.11.19-MariaDB-log',
  gtid: `0-1-${1_000_000 + index}`,
  note: 'x'.repeat(320),
})

/** JSON of about 5 KB. */
export const viewBytes = Buffer.from(JSON.stringify(Array.from({ length: 10 }, (_, index) => server(index + 1))))
