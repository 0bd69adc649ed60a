import type { Config } from './config.ts'

/** The hosts of the service, from its settings. */
export function ownHostsOf({ host, publicUrl }: Pick<Config, 'host' | 'publicUrl'>): string[] {
  return publicUrl === undefined ? [host] : [host, new URL(publicUrl).hostname]
}
