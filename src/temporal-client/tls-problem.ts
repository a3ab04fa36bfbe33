/** What a failed TLS handshake with Temporal means for the settings. Pure. */

export interface ConnectionProblem {
  readonly text: string;
  /** Waiting does not help: somebody has to correct a setting. */
  readonly isFinal: boolean;
}

const NOT_TRUSTED = /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|CERT_)/;
const NOT_THERE = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|SILENT)$/;

export function tlsProblem(address: string, code: string, hasCertificate: boolean): ConnectionProblem {
  if (NOT_THERE.test(code)) return notThere(address);
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return final(
      `the certificate of ${address} is for another name (${code}); set TEMPORAL_TLS_SERVER_NAME to the name in it`,
    );
  }
  if (NOT_TRUSTED.test(code)) {
    return final(
      `the certificate of ${address} is not trusted (${code}); set TEMPORAL_TLS_SERVER_CA_CERT_PATH to the certificate of its authority`,
    );
  }
  if (/^(EPROTO|ECONNRESET|ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG)$/.test(code)) {
    return final(`${address} speaks no TLS (${code}); remove the TEMPORAL_TLS settings, or correct TEMPORAL_ADDRESS`);
  }
  if (/^ERR_OSSL/.test(code)) {
    return final(
      `the client certificate cannot be used (${code}); TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH name PEM files that belong together`,
    );
  }
  return final(
    hasCertificate
      ? `${address} refuses the client certificate (${code}); set TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH to a pair of an authority that it accepts, and look whether it has expired`
      : `${address} asks for a client certificate (${code}); set TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH`,
  );
}

export function notThere(address: string): ConnectionProblem {
  const text = `no Temporal server answers at ${address}; set TEMPORAL_ADDRESS, or start one with "tramita up"`;
  return { text, isFinal: false };
}

export function final(text: string): ConnectionProblem {
  return { text, isFinal: true };
}

export function codeIn(error: unknown): string {
  const { code, errors } = error as { readonly code?: unknown; readonly errors?: readonly { code?: unknown }[] };
  const first = code ?? errors?.[0]?.code;
  return typeof first === 'string' ? first : 'no code';
}
