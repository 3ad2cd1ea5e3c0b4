/** Messages with their values and the particles that fit those values. */
import { I18n, type MessageDescriptor, type MessageOptions } from '@lingui/core';
import { withParticles } from './particles.ts';

class Spoken extends I18n {
  override _(id: string | MessageDescriptor, values?: Record<string, unknown>, options?: MessageOptions): string {
    return withParticles(typeof id === 'string' ? super._(id, values, options) : super._(id));
  }
}

export function spoken(settings: ConstructorParameters<typeof I18n>[0] = {}): I18n {
  return new Spoken(settings);
}
