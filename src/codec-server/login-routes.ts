/**
 * A login page, for a UI without one. It puts a person's token into a cookie that scripts cannot read and that is sent only to
 * `/decode` (and `/encode`), not to other servers of the same host. The UI sends it if "Include cross-origin credentials" is on.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { COOKIE, type Authenticate } from './authenticate.js';
import type { CodecServerOptions } from './types.js';

type LoginOptions = Pick<CodecServerOptions, 'encode' | 'secureCookie' | 'log'> & {
  readonly authenticate: Authenticate;
};

/** A working day. */
const COOKIE_S = 12 * 3_600;
const MAX_FORM_BYTES = 16_384;
/** Browsers need not keep a cookie of more than 4,096 bytes with its name and attributes (RFC 6265, 6.1). */
const LONGEST_IN_COOKIE = 3_900;
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  // The browser sends the origin of the form only to this server.
  'referrer-policy': 'same-origin',
} as const;

export async function addLoginRoutes(server: FastifyInstance, options: LoginOptions): Promise<void> {
  const { authenticate, encode, secureCookie, log } = options;
  const setCookies = (reply: FastifyReply, value: string, seconds: number): void => {
    for (const path of encode ? ['/decode', '/encode'] : ['/decode']) {
      const cookie = `${COOKIE}=${value}; Path=${path}; HttpOnly; SameSite=Strict; Max-Age=${seconds}`;
      reply.header('set-cookie', secureCookie ? `${cookie}; Secure` : cookie);
    }
  };
  await server.register((app, _given, done) => {
    app.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: MAX_FORM_BYTES },
      (_request, body, parsed) => parsed(null, new URLSearchParams(String(body))),
    );
    app.get('/login', (_request, reply) => send(reply, 200, FORM));
    app.post('/login', async (request, reply) => {
      const token =
        isSameOrigin(request) && request.body instanceof URLSearchParams ? request.body.get('token')?.trim() : '';
      const judged = await authenticate(token);
      if (judged.kind !== 'known') {
        const isAway = judged.kind === 'away';
        const status = isAway ? 503 : 401;
        log.warn({ status, reason: judged.kind === 'not-allowed' ? 'claim missing' : judged.why }, 'login refused');
        const why = isAway ? 'The issuer of tokens does not answer now; try again.' : 'This token is not accepted.';
        return refuse(reply, status, why);
      }
      if ((token ?? '').length > LONGEST_IN_COOKIE) {
        log.warn({ who: judged.who }, 'login refused: the token does not fit into a cookie');
        return refuse(reply, 413, 'This token is too long for a cookie; ask for one with fewer claims.');
      }
      log.info({ who: judged.who }, 'login');
      setCookies(reply, token ?? '', COOKIE_S);
      return send(reply, 200, DONE);
    });
    app.post('/logout', (_request, reply) => {
      setCookies(reply, '', 0);
      return send(reply, 200, `<p>This browser no longer has a token.</p>${FORM}`);
    });
    done();
  });
}

/** Whether our own page has posted the form: no other page may put its token into this browser. */
function isSameOrigin({ headers: { origin, host } }: FastifyRequest): boolean {
  return origin !== undefined && host !== undefined && URL.canParse(origin) && new URL(origin).host === host;
}

function refuse(reply: FastifyReply, status: number, why: string): FastifyReply {
  return send(reply, status, `<p role="alert">${why}</p>${FORM}`);
}

function send(reply: FastifyReply, status: number, content: string): FastifyReply {
  return reply.code(status).headers(HEADERS).send(page(content));
}

function page(content: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>tramita codec server</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:36rem;margin:4rem auto;padding:0 1rem}input{font:inherit;width:100%}</style>
<h1>tramita codec server</h1>${content}</html>`;
}

const FORM = `<form method="post" action="login"><label>Token <input name="token" type="password" autocomplete="off" required autofocus></label>
<p><button>Log in</button></p></form>`;
const DONE = `<p>Logged in for 12 hours. In the Temporal UI open <b>Codec Server</b> (an icon at the top right), choose <b>Use my browser setting</b>,
enter the address of this server and switch on <b>Include cross-origin credentials</b>. Every access is recorded in the access log.</p>
<form method="post" action="logout"><button>Log out</button></form>`;
