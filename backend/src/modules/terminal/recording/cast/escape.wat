;; The inside of a JSON string, sixteen bytes at a time. As escape.wasm it is made by `wat2wasm`, which its test does anew.
(module
  ;; A table first: of each byte eight, which are how JSON writes it, and in the last one how long that is.
  (memory (export "memory") 2)

  ;; Reads and writes up to sixteen bytes more than there are, where there has to be room for them. Gives where it ends.
  (func (export "escape") (param $from i32) (param $end i32) (param $to i32) (result i32)
    (local $word v128) (local $special i32) (local $plain i32) (local $escape i64)
    (block $done
      (loop $next
        (local.set $word (v128.load (local.get $from)))
        (v128.store (local.get $to) (local.get $word))
        ;; Below a space, or a quotation mark, or a backslash (RFC 8259, 7).
        (local.set $special
          (i8x16.bitmask
            (v128.or
              (i8x16.lt_u (local.get $word) (v128.const i8x16 32 32 32 32 32 32 32 32 32 32 32 32 32 32 32 32))
              (v128.or
                (i8x16.eq (local.get $word) (v128.const i8x16 34 34 34 34 34 34 34 34 34 34 34 34 34 34 34 34))
                (i8x16.eq (local.get $word) (v128.const i8x16 92 92 92 92 92 92 92 92 92 92 92 92 92 92 92 92))))))

        ;; Of its own: the next sixteen are read before it is known that there is nothing in these, which halves the time.
        (if (i32.eqz (local.get $special))
          (then
            (local.set $from (i32.add (local.get $from) (i32.const 16)))
            (local.set $to (i32.add (local.get $to) (i32.const 16)))
            (br_if $next (i32.lt_u (local.get $from) (local.get $end)))
            (br $done)))

        (local.set $plain (i32.ctz (local.get $special)))
        (local.set $from (i32.add (local.get $from) (local.get $plain)))
        (local.set $to (i32.add (local.get $to) (local.get $plain)))
        (br_if $done (i32.ge_u (local.get $from) (local.get $end)))
        (local.set $escape (i64.load (i32.shl (i32.load8_u (local.get $from)) (i32.const 3))))
        (i64.store (local.get $to) (local.get $escape))
        (local.set $from (i32.add (local.get $from) (i32.const 1)))
        (local.set $to (i32.add (local.get $to) (i32.wrap_i64 (i64.shr_u (local.get $escape) (i64.const 56)))))
        (br_if $next (i32.lt_u (local.get $from) (local.get $end)))))
    ;; Without what was copied from behind the end.
    (i32.sub (local.get $to) (i32.sub (local.get $from) (local.get $end)))))
