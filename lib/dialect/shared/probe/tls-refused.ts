// The error of a client that could not connect with TLS.

/** CR_SSL_CONNECTION_ERROR of both flavours: a file cannot be read, or the certificate of the source is not accepted. */
const SSL_CONNECTION_ERROR = 2026

export const isTlsRefused = ({ code }: { readonly code: number }): boolean => code === SSL_CONNECTION_ERROR
