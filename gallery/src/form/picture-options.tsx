import { AREAS, STYLES } from '../../../src/contract/options/finish.ts'
import { AREA_WORDS, STYLE_WORDS } from '../asked.ts'
import type { EffectDraft } from './draft.ts'
import { AreaDrawing, EffectDrawing, FrameDrawing } from './drawings.tsx'
import { EFFECT_NAMES, EFFECTS, newEffect } from './effects.ts'
import { Card, type Form, MistakesAt, ShortField } from './fields.tsx'
import { useFocus } from './use-focus.ts'

/** The finish of the picture, in the order of its steps. */
export function PictureOptions({ form }: { form: Form }) {
  const { area, style } = form.draft
  return (
    <fieldset class="group">
      <legend>Picture</legend>
      <fieldset class="field" aria-describedby="area-mistakes">
        <legend>Area</legend>
        <div class="drawn-choices">
          {['', ...AREAS].map((each) => (
            <Card
              key={each}
              type="radio"
              name="area"
              value={each}
              checked={area === each}
              onChoose={() => form.change({ area: each })}
            >
              <AreaDrawing area={each} />
              <span>{each === '' ? 'Whole' : AREA_WORDS[each as keyof typeof AREA_WORDS]}</span>
            </Card>
          ))}
        </div>
        <MistakesAt form={form} place="area" />
      </fieldset>
      <fieldset class="field" aria-describedby="style-mistakes">
        <legend>Frame</legend>
        <div class="drawn-choices">
          {['', ...STYLES].map((each) => (
            <Card
              key={each}
              type="radio"
              name="style"
              value={each}
              checked={style === each}
              onChoose={() => form.change({ style: each })}
            >
              <FrameDrawing style={each} />
              <span>{each === '' ? 'None' : STYLE_WORDS[each as keyof typeof STYLE_WORDS]}</span>
            </Card>
          ))}
        </div>
        <MistakesAt form={form} place="style" />
      </fieldset>
      <EffectsField form={form} />
    </fieldset>
  )
}

function EffectsField({ form }: { form: Form }) {
  const { effects } = form.draft
  const [field, focusThen] = useFocus(effects.length)
  const set = (next: readonly EffectDraft[]) => form.change({ effects: next })
  const change = (index: number, options: EffectDraft['options']) =>
    set(
      effects.map((each, at) =>
        at === index ? { ...each, options: { ...each.options, ...options } } : each,
      ),
    )
  const swap = (index: number) =>
    set(effects.map((each, at) => effects[at === index ? at - 1 : at === index - 1 ? at + 1 : at] ?? each))
  return (
    <fieldset ref={field} class="field" aria-describedby="effects-mistakes">
      <legend>
        Effects <span class="soft">applied in this order</span>
      </legend>
      {effects.length > 0 && (
        <ol class="effects">
          {effects.map(({ effect, options }, index) => {
            const { label, fields } = EFFECTS[effect]
            const name = `${index + 1}. ${label}`
            return (
              <li key={index}>
                <EffectDrawing effect={effect} />
                <strong>{name}</strong>
                <fieldset class="effect-fields">
                  <legend class="unseen">{name}</legend>
                  {fields.map(({ name: option, label: words, preset }) => (
                    <ShortField
                      key={option}
                      label={words}
                      isMistaken={form.mistakes.effects !== undefined}
                      placeholder={preset}
                      value={options[option] ?? ''}
                      onText={(text) => change(index, { [option]: text })}
                    />
                  ))}
                </fieldset>
                <span class="effect-buttons">
                  {index > 0 && (
                    <button type="button" class="remove" onClick={() => swap(index)}>
                      <span aria-hidden="true">↑</span>
                      <span class="unseen">{name}: earlier</span>
                    </button>
                  )}
                  <button
                    type="button"
                    class="remove"
                    onClick={() => {
                      set(effects.filter((_, at) => at !== index))
                      focusThen('.add-effect')
                    }}
                  >
                    <span aria-hidden="true">×</span>
                    <span class="unseen">Remove {name}</span>
                  </button>
                </span>
              </li>
            )
          })}
        </ol>
      )}
      <div class="drawn-choices">
        {EFFECT_NAMES.map((effect) => (
          <button
            key={effect}
            type="button"
            class="size add-effect"
            aria-label={`Add: ${EFFECTS[effect].label}`}
            onClick={() => set([...effects, newEffect(effect)])}
          >
            <EffectDrawing effect={effect} />
            <span>+ {EFFECTS[effect].label}</span>
          </button>
        ))}
      </div>
      <MistakesAt form={form} place="effects" />
    </fieldset>
  )
}
