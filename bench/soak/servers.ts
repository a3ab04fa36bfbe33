/** The servers of a soak, as the soak of calls starts them. */
export { startServers, type Servers } from '../../soak/servers.js';
