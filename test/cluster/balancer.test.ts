/** The balancer in front of servers that greet with their name: where new connections go, and when open ones are reset. */
import { connect, createServer, type Server, type Socket } from 'node:net';
import { createBalancer, type Balancer } from '../../soak/cluster/balancer.js';
import { listen } from '../../soak/loopback.js';
import { until } from '../support/until.js';

interface NamedServer {
  readonly name: string;
  readonly server: Server;
  readonly address: string;
  health: 'good' | 'bad' | 'silent';
}

const open: Socket[] = [];
let servers: NamedServer[] = [];
let balancer: Balancer;

async function startServer(name: string): Promise<NamedServer> {
  const server = createServer((socket) => {
    open.push(socket);
    socket.on('error', () => undefined).write(name);
  });
  return { name, server, address: await listen(server), health: 'good' };
}

/** A connection through the balancer and the name of the server at its end; undefined when it was refused. */
async function connectOnce(): Promise<{ readonly socket: Socket; readonly name: string } | undefined> {
  const socket = connect(Number(balancer.address.split(':')[1]), '127.0.0.1');
  open.push(socket);
  const greeting = new Promise<Buffer | undefined>((resolve) => {
    socket.once('data', resolve).once('close', () => resolve(undefined));
  });
  socket.on('error', () => undefined);
  const name = await greeting;
  return name === undefined ? undefined : { socket, name: name.toString() };
}

/** Connects until the balancer leads to a server. */
const untilConnected = (): Promise<{ readonly socket: Socket; readonly name: string }> =>
  until(connectOnce, { what: 'an answer' });

beforeEach(async () => {
  servers = [await startServer('a'), await startServer('b')];
  balancer = await createBalancer(
    servers.map((server) => ({
      address: server.address,
      isHealthy: () =>
        server.health === 'silent' ? new Promise(() => undefined) : Promise.resolve(server.health === 'good'),
    })),
  );
});
afterEach(async () => {
  for (const socket of open.splice(0)) socket.destroy();
  await balancer.close();
  await Promise.all(servers.map(({ server }) => new Promise((resolve) => server.close(resolve))));
});

it('the balancer leads new connections to the server with the fewest', async () => {
  const names = [
    (await untilConnected()).name,
    (await untilConnected()).name,
    (await untilConnected()).name,
    (await untilConnected()).name,
  ];
  expect(names.sort()).toEqual(['a', 'a', 'b', 'b']);
});

it.each(['bad', 'silent'] as const)(
  'the balancer resets the connections to a server whose health is %s, and leads to the other one',
  async (health) => {
    const connections = [await untilConnected(), await untilConnected()];
    const [ofA, ofB] = ['a', 'b'].map((name) => connections.find((each) => each.name === name));
    const closed = new Promise((resolve) => ofA!.socket.once('close', resolve));
    servers[0]!.health = health;
    await closed;
    expect(ofB!.socket.destroyed).toBe(false);
    expect([(await untilConnected()).name, (await untilConnected()).name]).toEqual(['b', 'b']);
    servers[0]!.health = 'good';
    await until(async () => (await connectOnce())?.name === 'a', {
      what: 'the first server to be led to',
    });
  },
);

it('the balancer refuses connections when no server is healthy', async () => {
  await untilConnected();
  for (const server of servers) server.health = 'bad';
  await until(() => balancer.targets().length === 0, { what: 'no connection' });
  // The other server may be found unhealthy a moment later.
  await until(async () => (await connectOnce()) === undefined, { what: 'a refusal' });
  expect(await connectOnce()).toBeUndefined();
});
