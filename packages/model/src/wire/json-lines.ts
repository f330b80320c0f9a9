/**
 * Whether a text is several objects on lines of their own: an event stream without its blank lines, or without its frames.
 * Within one JSON value a comma would stand where one object ends and the next begins.
 */
export const areLines = (text: string): boolean => /\}\s*\n\s*(?:\{|\[DONE\])/.test(text)
