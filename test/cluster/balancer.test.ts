/** The balancer in front of servers that greet with their name: new connections, and what becomes of standing ones. */
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createBalancer, type Balancer } from '../../soak/cluster/balancer.js';
import { until } from '../support/until.js';

interface Named {
  readonly name: string;
  readonly server: Server;
  readonly address: string;
  health: 'good' | 'bad' | 'silent';
}

const open: Socket[] = [];
let servers: Named[] = [];
let balancer: Balancer;

async function named(name: string): Promise<Named> {
  const server = createServer((socket) => {
    open.push(socket);
    socket.on('error', () => undefined).write(name);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { name, server, address: `127.0.0.1:${(server.address() as AddressInfo).port}`, health: 'good' };
}

/** A connection through the balancer and who is at its other end; undefined where it was refused. */
async function call(): Promise<{ readonly socket: Socket; readonly name: string } | undefined> {
  const socket = connect(Number(balancer.address.split(':')[1]), '127.0.0.1');
  open.push(socket);
  const said = new Promise<Buffer | undefined>((resolve) => {
    socket.once('data', resolve).once('close', () => resolve(undefined));
  });
  socket.on('error', () => undefined);
  const name = await said;
  return name === undefined ? undefined : { socket, name: name.toString() };
}

/** Once the balancer leads to somebody. */
const answered = (): Promise<{ readonly socket: Socket; readonly name: string }> => until(call, { what: 'an answer' });

beforeEach(async () => {
  servers = [await named('a'), await named('b')];
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

it('leads new connections to where the fewest stand', async () => {
  const names = [(await answered()).name, (await answered()).name, (await answered()).name, (await answered()).name];
  expect(names.sort()).toEqual(['a', 'a', 'b', 'b']);
});

it.each(['bad', 'silent'] as const)(
  'resets the connections to a server whose health is %s, and leads to the other one',
  async (health) => {
    const standing = [await answered(), await answered()];
    const [ofA, ofB] = ['a', 'b'].map((name) => standing.find((each) => each.name === name));
    const closed = new Promise((resolve) => ofA!.socket.once('close', resolve));
    servers[0]!.health = health;
    await closed;
    expect(ofB!.socket.destroyed).toBe(false);
    expect([(await answered()).name, (await answered()).name]).toEqual(['b', 'b']);
    servers[0]!.health = 'good';
    await until(async () => (await call())?.name === 'a', {
      what: 'the first server to be led to',
    });
  },
);

it('refuses where nobody is healthy', async () => {
  await answered();
  for (const server of servers) server.health = 'bad';
  await until(() => balancer.targets().length === 0, { what: 'no connection' });
  // The other server may be found out a moment later.
  await until(async () => (await call()) === undefined, { what: 'a refusal' });
  expect(await call()).toBeUndefined();
});
