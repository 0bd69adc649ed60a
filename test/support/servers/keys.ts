/** The environment of a service with PostgreSQL, which creates no keys of its own. */
export const SECRET_KEYS = `k1:${Buffer.alloc(32, 8).toString('base64')}`
export const KEYS = { SIGNING_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`, SECRET_KEYS }
