/**
 * What a hook before a point is called with. The input is copied when the hook looks at it: a hook that does not costs
 * next to nothing, however much the input is.
 */
export class PreCall<I> {
  readonly agent: unknown
  readonly #given: I
  readonly #copy: (input: I) => I
  #input: I | undefined

  constructor(agent: unknown, given: I, copy: (input: I) => I) {
    this.agent = agent
    this.#given = given
    this.#copy = copy
  }

  get input(): I {
    this.#input ??= this.#copy(this.#given)
    return this.#input
  }
}

/** The copies that hooks after a point get. */
export interface PostCopies<I, O> {
  input(input: I): I
  output(output: O): O
  /** Takes what a hook returned; throws for what is no output. */
  readonly take: (this: void, output: O) => O
}

/** What a hook after a point is called with; its copies, too, are made when it looks. */
export class PostCall<I, O> {
  readonly agent: unknown
  readonly #given: I
  readonly #made: O
  readonly #copies: PostCopies<I, O>
  #input: I | undefined
  #output: O | undefined

  constructor(agent: unknown, given: I, made: O, copies: PostCopies<I, O>) {
    this.agent = agent
    this.#given = given
    this.#made = made
    this.#copies = copies
  }

  get input(): I {
    this.#input ??= this.#copies.input(this.#given)
    return this.#input
  }

  get output(): O {
    this.#output ??= this.#copies.output(this.#made)
    return this.#output
  }
}
