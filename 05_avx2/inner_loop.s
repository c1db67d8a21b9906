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
