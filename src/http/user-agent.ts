/** What we call ourselves to the service and to storages. Says neither version nor platform: nobody needs them. */
export const USER_AGENT = 'tramita';
