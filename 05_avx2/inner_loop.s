# What g++ 12.2 makes of the tile's loop over p; the test 05_avx2.inner_loop compares it with what was compiled.
# [register_tile]
vmovups (%rdx),%ymm1                 load eight numbers of B's row
vmovups 0x20(%rdx),%ymm0             and eight more
add     $0x1,%rsi                    p goes on,
add     $0x4,%rax                    in A to the next column,
vbroadcastss -0x4(%rax),%ymm2        a number of A's first row, in all lanes
add     %r10,%rdx                    in B to the next row
vfmadd231ps %ymm2,%ymm1,%ymm14       times the first eight, added to a sum
vfmadd231ps %ymm2,%ymm0,%ymm13       times the others, added to another
vbroadcastss -0x4(%rax,%r9,1),%ymm2  a number of A's second row
vfmadd231ps %ymm2,%ymm1,%ymm12
vfmadd231ps %ymm2,%ymm0,%ymm11
# [/register_tile]

# The same for ARM.
# [register_tile_neon]
ldp  q2, q0, [x2]            load eight numbers of B's row, in two registers
add  x11, x11, #0x1          p goes on,
ldr  s1, [x0]                a number of A's first row, in one lane
add  x2, x2, x7              in B to the next row
fmla v21.4s, v2.4s, v1.s[0]  that lane times the first four, added to a sum
fmla v22.4s, v0.4s, v1.s[0]  times the others, added to another
ldr  s1, [x0, x6]            a number of A's second row
fmla v19.4s, v2.4s, v1.s[0]
fmla v20.4s, v0.4s, v1.s[0]
# [/register_tile_neon]
