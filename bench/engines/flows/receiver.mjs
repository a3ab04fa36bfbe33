/**
 * Receives the service's webhooks for one engine, checks their signature and notifies the engine: `receiver.mjs <engine>
 * <settings>`. It does what the bridge does for tramita, but does not record events. Prints `ready <port>`.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const [, , engine, text] = process.argv;
const settings = JSON.parse(text);
const { openClient } = await import(`./${engine}.mjs`);
const client = await openClient(settings);

const server = createServer(async (request, response) => {
  try {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const wanted = `sha256=${createHmac('sha256', settings.secret).update(body).digest('hex')}`;
    const given = String(request.headers['x-service-signature']);
    if (given.length !== wanted.length || !timingSafeEqual(Buffer.from(given), Buffer.from(wanted))) {
      response.writeHead(401).end();
      return;
    }
    const { numeroCnj, requestId } = JSON.parse(body.toString()).data;
    await client.wake({ cnj: numeroCnj.replace(/\D/g, ''), requestId });
    response.writeHead(204).end();
  } catch (error) {
    process.stderr.write(`${engine}: ${error?.stack ?? error}\n`);
    response.writeHead(500).end();
  }
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`ready ${server.address().port}\n`));
