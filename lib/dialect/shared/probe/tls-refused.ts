// The errors of a client that could not connect with TLS.

/** CR_SSL_CONNECTION_ERROR of both flavours: a file cannot be read, or one side does not accept the certificate of the other. */
const SSL_CONNECTION_ERROR = 2026
/** CR_SERVER_LOST of both flavours. */
const SERVER_LOST = 2013

/**
 * TLS 1.3 ends for the client before the source has judged its certificate: the source closes the connection then, while the client
 * sends its login (`sending authentication information`), waits for the answer (`reading authorization packet`), or later. A source that
 * is down or hangs ends it sooner, at the `initial communication packet`.
 */
const afterHandshake = /^error connecting to (?!.*initial communication packet)/is

interface IoError {
  readonly code: number
  readonly message: string
}

/** The files of the client cannot be used, or one side does not accept the certificate of the other. */
export const isTlsRefused = ({ code }: IoError): boolean => code === SSL_CONNECTION_ERROR

/** The source ended the connection after the handshake: with a certificate of the client, it may be that which it does not accept. */
export const isEndedInLogin = ({ code, message }: IoError): boolean =>
  code === SERVER_LOST && afterHandshake.test(message)
