/**
 * `POST /decode` and, if it is enabled, `/encode`. Origin, token and namespace are checked before the body is read. Decoded
 * payloads are sent only after the line in the access log is written.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { credentialOf, type Authenticate } from './authenticate.js';
import { decodePayloads, encodePayloads, readPayloads, type PayloadJson } from './payloads.js';
import { codeOf, refusal } from './refusal.js';
import type { CodecServerOptions } from './types.js';

type RouteOptions = Pick<CodecServerOptions, 'keys' | 'encode' | 'origins' | 'namespaces' | 'recordAccess' | 'log'> & {
  readonly authenticate: Authenticate;
};

interface Caller {
  readonly who: string;
  readonly namespace: string;
}

export function addCodecRoutes(app: FastifyInstance, options: RouteOptions): void {
  const callers = new WeakMap<FastifyRequest, Caller>();
  const onRequest = async (request: FastifyRequest): Promise<void> => {
    callers.set(request, await admit(request, options));
  };
  const read = (request: FastifyRequest): Caller & { readonly given: readonly PayloadJson[] } => {
    const caller = callers.get(request);
    if (caller === undefined) throw new Error('tramita: a body without an admitted head');
    const given = readPayloads(request.body);
    if (given === undefined) {
      throw refusal(
        400,
        'the body has the wrong form; expected {"payloads":[{"metadata":{…},"data":"base64"}]}',
        caller,
      );
    }
    return { ...caller, given };
  };

  app.post('/decode', { onRequest }, async (request) => {
    const { given, who, namespace } = read(request);
    return { payloads: await decode(given, { who, namespace }, options) };
  });
  if (!options.encode) return;
  app.post('/encode', { onRequest }, async (request) => {
    const { given, who, namespace } = read(request);
    options.log.info({ who, namespace, items: given.length }, 'encoded');
    return { payloads: await encodePayloads(options.keys, given) };
  });
}

async function admit(request: FastifyRequest, options: RouteOptions): Promise<Caller> {
  const { authenticate, origins, namespaces } = options;
  const { origin, authorization, cookie, 'x-namespace': header } = request.headers;
  const namespace = typeof header === 'string' && header !== '' ? header.slice(0, 255) : undefined;
  if (origin !== undefined && !origins.includes(origin)) {
    throw refusal(403, 'pages of this origin may not use this server; add it to TRAMITA_CODEC_ORIGINS', { namespace });
  }
  const judged = await authenticate(credentialOf({ authorization, cookie }));
  if (judged.kind === 'refused') throw refusal(401, `no valid token (${judged.why})`, { namespace });
  if (judged.kind === 'away')
    throw refusal(503, `tokens cannot be checked with their issuer (${judged.why})`, { namespace });
  const { who } = judged;
  if (judged.kind === 'not-allowed') {
    throw refusal(403, 'the token lacks the claim of TRAMITA_CODEC_OIDC_CLAIM', { who, namespace });
  }
  if (namespace === undefined) throw refusal(400, 'the header X-Namespace is missing', { who });
  if (!namespaces.includes(namespace)) {
    throw refusal(403, 'this namespace is not served; add it to TRAMITA_CODEC_NAMESPACES', { who, namespace });
  }
  return { who, namespace };
}

async function decode(
  given: readonly PayloadJson[],
  caller: Caller,
  { keys, recordAccess, log }: RouteOptions,
): Promise<readonly PayloadJson[]> {
  const { who, namespace } = caller;
  const decoded = decodePayloads(keys, given, namespace);
  if (decoded === 'foreign') throw refusal(403, 'a payload belongs to another namespace than X-Namespace', caller);
  const { payloads, opened, closed } = decoded;
  for (const [reason, items] of closed) log.warn({ who, namespace, reason, items }, 'encrypted payloads not decoded');
  try {
    await recordAccess({ by: who, via: 'codec-server decode', namespace, items: opened });
  } catch (error) {
    throw refusal(503, `the access log cannot be written (${codeOf(error)}), so nothing is shown`, caller);
  }
  log.info({ who, namespace, items: opened }, 'decoded');
  return payloads;
}
