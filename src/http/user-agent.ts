/** What we call ourselves to the service and to storages. Says neither version nor platform: they are not needed. */
export const USER_AGENT = 'tramita';
