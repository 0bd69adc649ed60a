import { capturing } from './settings/capturing.ts'
import { limits } from './settings/limits.ts'
import { serving } from './settings/serving.ts'
import { storage } from './settings/storage.ts'

/** Every variable the service reads. The table in docs/settings.md is this one. */
export const settings = { ...serving, ...storage, ...capturing, ...limits }

export type SettingName = keyof typeof settings
export type SettingValue<N extends SettingName> = ReturnType<(typeof settings)[N]['parse']>
