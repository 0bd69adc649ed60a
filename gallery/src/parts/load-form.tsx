import { lazily } from './lazily.tsx'

/** The form for a request, when its script is there. */
export const LoadForm = lazily(async () => (await import('../form/capture-form.tsx')).CaptureForm)
