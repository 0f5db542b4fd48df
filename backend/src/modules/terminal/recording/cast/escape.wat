;; Escapes bytes for the inside of a JSON string, sixteen at a time. `wat2wasm` compiles it to escape.wasm. A test compares
;; the two.
(module
  ;; Begins with a table of eight bytes per byte: its JSON form, and in the last byte the length of that.
  (memory (export "memory") 2)

  ;; Reads and writes up to sixteen bytes beyond the ends, so these need room for that. Returns where the output ends.
  (func (export "escape") (param $from i32) (param $end i32) (param $to i32) (result i32)
    (local $word v128) (local $special i32) (local $plain i32) (local $escape i64)
    (block $done
      (loop $next
        (local.set $word (v128.load (local.get $from)))
        (v128.store (local.get $to) (local.get $word))
        ;; Bytes to escape: below a space, a quotation mark, a backslash (RFC 8259, 7).
        (local.set $special
          (i8x16.bitmask
            (v128.or
              (i8x16.lt_u (local.get $word) (v128.const i8x16 32 32 32 32 32 32 32 32 32 32 32 32 32 32 32 32))
              (v128.or
                (i8x16.eq (local.get $word) (v128.const i8x16 34 34 34 34 34 34 34 34 34 34 34 34 34 34 34 34))
                (i8x16.eq (local.get $word) (v128.const i8x16 92 92 92 92 92 92 92 92 92 92 92 92 92 92 92 92))))))

        ;; A branch of its own lets the processor read the next sixteen before it knows the result of these. This halves the
        ;; time.
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
    ;; Subtract the bytes that were copied from beyond the end.
    (i32.sub (local.get $to) (i32.sub (local.get $from) (local.get $end)))))
