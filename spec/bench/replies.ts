// What the floor of the gateway answers: as many bytes as a role check and as the very view of 5 KB that the gateway
// sends, heads included.
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

const everywhere = ['X-Content-Type-Options', 'nosniff', 'Access-Control-Allow-Origin', '*'] as const

export const roleHeaders: readonly string[] = [
  ...['Content-Type', 'text/plain; charset=utf-8', 'Content-Length', `${roleText.length}`, 'Cache-Control', 'no-store'],
  ...everywhere,
]

export const viewHeaders: readonly string[] = [
  ...['X-Request-Id', '01234567-abcd', ...everywhere, 'Content-Type', 'application/json; charset=utf-8'],
  ...['Cache-Control', 'private, no-cache', 'Vary', 'Accept-Encoding', 'ETag', 'W/"1-1"'],
  ...['Content-Length', `${viewBytes.length}`],
]
